package io.ensemble.testkit.wan;

/**
 * Distance cannot be emulated, or no longer: something that it needs is missing, is not allowed or
 * has failed. What had been made is removed; trying again is safe.
 */
public final class WanException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  WanException(String message) {
    super(message);
  }

  WanException(String message, Throwable cause) {
    super(message, cause);
  }
}
