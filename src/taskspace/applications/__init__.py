"""Applications of the models: prediction, adaptive quizzes, selection and search of tasks."""
