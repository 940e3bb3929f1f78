package io.ensemble.collection;

/**
 * The parts of a distributed cache have changed since its slices were listed, so a slice no longer
 * holds the keys that it held. List the slices again and begin anew; a retry fails.
 */
public final class SlicesOutdatedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  SlicesOutdatedException(String cache, long listed, long present) {
    super(
        ("the parts of the cache have changed since its slices were listed: list them again; "
                + "cache=%s expected generation=%d got=%d")
            .formatted(cache, listed, present));
  }
}
