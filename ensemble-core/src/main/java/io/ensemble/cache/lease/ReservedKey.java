package io.ensemble.cache.lease;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore.Scan;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The key in every store of the entry that marks the end of its configuration. The key differs from
 * all users' keys, because encoded keys begin with a small number.
 */
public final class ReservedKey {

  /** The key of the end entry. */
  public static final Bytes END = Bytes.of((byte) 0xff);

  private ReservedKey() {}

  /** Whether a stored key is reserved, that is, not a user's. */
  public static boolean isOne(Bytes key) {
    return key.size() > 0 && key.array()[0] == (byte) 0xff;
  }

  /** The same scan without reserved keys. */
  public static Scan without(Scan scan) {
    return new Scan() {
      @Override
      public CompletionStage<List<Item>> next(Deadline deadline) {
        return BatchFilter.of(() -> scan.next(deadline), item -> !isOne(item.key()));
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }
}
