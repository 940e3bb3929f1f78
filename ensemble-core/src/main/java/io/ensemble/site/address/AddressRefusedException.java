package io.ensemble.site.address;

/** An address may not be entered. Nothing was sent there. */
public final class AddressRefusedException extends SecurityException {

  private static final long serialVersionUID = 1L;

  AddressRefusedException(String message) {
    super(message);
  }
}
