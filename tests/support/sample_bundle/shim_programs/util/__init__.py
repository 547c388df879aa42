# The helpers of the classifier, as DETR and MAE carry them.
