package io.ensemble.objects.value;

/** Serializes the values of one class. */
interface ValueSerializer {

  /** Writes the tag and the content. */
  void write(ValueWriter to, Object value);

  /** Whether values contain no other value and have no identity that matters. */
  default boolean plain() {
    return false;
  }

  /** Whether a value that occurs twice is written once, and read as one object. */
  default boolean numbered() {
    return true;
  }

  /** Whether a value can only be made after its content, so that it is part of no cycle. */
  default boolean madeLast() {
    return false;
  }

  /** The class cannot be written. */
  record Refused(String problem) implements ValueSerializer {

    @Override
    public void write(ValueWriter to, Object value) {
      throw new ValueWriteException(problem);
    }

    @Override
    public boolean numbered() {
      return false;
    }
  }
}
