package io.ensemble.site.address;

/** An address is not allowed. No request was sent to it. */
public final class AddressRefusedException extends SecurityException {

  private static final long serialVersionUID = 1L;

  AddressRefusedException(String message) {
    super(message);
  }
}
