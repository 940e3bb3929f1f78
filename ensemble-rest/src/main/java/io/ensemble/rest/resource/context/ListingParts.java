package io.ensemble.rest.resource.context;

/**
 * The document of a listing, part by part. Closing releases what the listing holds at the sites.
 * Blocks; one thread at a time.
 */
public interface ListingParts extends AutoCloseable {

  /** The next part; never empty. Not called after the document is complete. */
  byte[] next();

  /** Whether the document is complete. */
  boolean isEnded();

  @Override
  void close();
}
