package io.ensemble.cache.mwmr;

import io.ensemble.cache.Payload;
import io.ensemble.register.Ballot;
import io.ensemble.register.Cell;
import io.ensemble.register.Content;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.WriterId;
import java.util.List;
import java.util.Optional;

/**
 * What a register begins with in stores that nobody uses yet: the same cell at every site, accepted
 * in a classic round before all rounds of real proposers, which are microseconds since 1970.
 */
public final class RegisterDraft {

  private static final long ROUND = 1;

  private RegisterDraft() {}

  /**
   * The stored form of a register with that content; empty for a removed key.
   *
   * @param owner who alone puts drafts into these stores
   */
  public static Bytes of(WriterId owner, Optional<Payload> value) {
    Ballot ballot = new Ballot(ROUND, Ballot.Kind.CLASSIC, owner);
    Content<Payload> content = new Content<>(1, List.of(ballot), value.orElse(null));
    return CellCodec.encode(new Cell<>(ballot, ballot, ballot, content));
  }
}
