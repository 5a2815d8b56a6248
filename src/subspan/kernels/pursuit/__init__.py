"""The damped pursuit of Algorithm 1: `reference` says what it computes, the other modules do so fast."""
