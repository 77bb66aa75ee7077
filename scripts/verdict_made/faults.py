"""What captures do to frames: lists of (time, bytes, length) in, and out."""
