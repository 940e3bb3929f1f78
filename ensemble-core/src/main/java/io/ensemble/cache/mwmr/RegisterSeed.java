package io.ensemble.cache.mwmr;

import io.ensemble.cache.Payload;
import io.ensemble.register.SeedCell;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.WriterId;
import java.util.Optional;

/** A {@link SeedCell} as stores have it. */
public final class RegisterSeed {

  private RegisterSeed() {}

  /**
   * The stored form of a register with that content; empty for a removed key.
   *
   * @param owner who alone puts drafts into these stores
   */
  public static Bytes of(WriterId owner, Optional<Payload> value) {
    return CellCodec.encode(SeedCell.of(owner, value.orElse(null)));
  }
}
