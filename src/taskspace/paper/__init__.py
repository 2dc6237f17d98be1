"""The paper's tables and figures, one small module each."""
