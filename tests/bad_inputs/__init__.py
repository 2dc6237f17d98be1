"""Bad inputs to every command and public function, each with what is expected of it.

`python -m tests.bad_inputs` runs all of them and prints counts; pytest runs them as tests.
"""
