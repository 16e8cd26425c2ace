"""Extensions: behaviours on the verbs of the loop; they see the records of `protocols` only."""
