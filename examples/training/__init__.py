"""The model, the data, the optimizers and the loop that the example scripts share."""
