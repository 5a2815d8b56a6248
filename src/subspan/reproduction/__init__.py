"""The paper's experiments: what is run, what comes out of it, and the published numbers beside it.

`settings` says how each data set is clustered, `tables` and the modules of figures say which runs make
up an experiment, `session` carries them out. Everything that only describes imports no scientific
library, so that the command line can list the experiments at once.
"""
