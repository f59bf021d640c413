"""The Certificate: a claim about a dag with a witness, and checkers that share no code with those who make claims."""
