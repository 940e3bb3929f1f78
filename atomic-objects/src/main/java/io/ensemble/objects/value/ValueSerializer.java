package io.ensemble.objects.value;

/** How the values of one class are written. */
interface ValueSerializer {

  /** Writes the tag and what follows it. */
  void write(ValueWriter to, Object value);

  /** Whether values contain nothing and have no identity that matters. */
  default boolean plain() {
    return false;
  }

  /** Whether a value that is met twice is written once, and read as one. */
  default boolean numbered() {
    return true;
  }

  /** Whether a value can only be made when what it contains has been, so that it is in no cycle. */
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
