package io.ensemble.cache.mwmr;

import io.ensemble.cache.Payload;
import io.ensemble.register.SeedCell;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.WriterId;
import java.util.Optional;

/** The stored form of a {@link SeedCell}. */
public final class RegisterSeed {

  private RegisterSeed() {}

  /**
   * The stored form of a register with that content; empty for a removed key.
   *
   * @param owner the only writer of drafts in these stores
   */
  public static Bytes of(WriterId owner, Optional<Payload> value) {
    return CellCodec.encode(SeedCell.of(owner, value.orElse(null)));
  }
}
