"""HTCondor submit descriptions as a DAG refers to them: what they ask for, and priorities written into them."""
