package io.ensemble.spring;

import org.jspecify.annotations.Nullable;

/** A property {@code ensemble.*} is missing or wrong. The application does not start. */
public final class EnsemblePropertyException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String property;
  private final String remedy;

  EnsemblePropertyException(
      String property, String problem, String remedy, @Nullable Throwable cause) {
    super(property + ": " + problem, cause);
    this.property = property;
    this.remedy = remedy;
  }

  /** The name of the property, or the prefix of several. */
  public String property() {
    return property;
  }

  /** What to change. */
  public String remedy() {
    return remedy;
  }
}
