"""Models in ONNX files, which onnxruntime runs on the processor: neither torch nor a network is needed."""
