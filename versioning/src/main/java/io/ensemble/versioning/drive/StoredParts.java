package io.ensemble.versioning.drive;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.versioning.Index;
import io.ensemble.versioning.Retention;
import io.ensemble.versioning.history.Item;
import io.ensemble.versioning.history.ItemWire;
import io.ensemble.versioning.history.Limits;
import io.ensemble.versioning.history.Look;
import io.ensemble.versioning.history.Place;
import io.ensemble.versioning.history.Query;
import io.ensemble.versioning.history.Ref;
import io.ensemble.versioning.history.Seen;
import io.ensemble.versioning.order.VersionSpace;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Which entries of a store histories refer to, beside their own: what else is there under {@link
 * #PREFIX} nobody will ever read. For whoever looks into a store. Thread-safe.
 */
public final class StoredParts<T> {

  /** All entries beside the histories begin so. */
  public static final String PREFIX = Entries.PREFIX;

  private static final int OPEN = 1;
  private static final int KAPPA = 2;

  private final Histories histories;
  private final Entries entries;
  private final VersionSpace<T> space;

  /** Of caches with versions of that space. */
  public StoredParts(AtomicObjectFactory factory, VersionSpace<T> space, Duration timeout) {
    Limits any = Limits.of(Index.AUTO, KAPPA, Retention.ALL); // Nothing is added here.
    Histories nobodyFollows = new Histories(factory, space, any, OPEN, 0, null);
    this.histories = new Histories(factory, space, any, OPEN, 0, nobodyFollows);
    this.entries = new Entries(factory.store(), factory.clockwork(), 0, timeout);
    this.space = space;
  }

  /**
   * Those of one history, as of one moment; none if it is not there. One read, and one for each
   * shard. Fails if a shard is replaced meanwhile.
   *
   * @param name of the atomic object that the history is
   */
  public CompletionStage<Set<String>> of(String name) {
    return histories
        .<Look>look(name, h -> h.look(Query.ALL))
        .thenCompose(
            look ->
                look.isPresent()
                    ? parts(look.get())
                    : CompletableFuture.completedFuture(Set.<String>of()));
  }

  private CompletionStage<Set<String>> parts(Look look) {
    Set<String> parts = new TreeSet<>();
    for (Seen seen : look.items()) {
      if (seen.value() == null && !seen.removed()) {
        parts.add(Entries.key(look.id(), seen.pack()));
      }
    }
    CompletionStage<Set<String>> all = CompletableFuture.completedFuture(parts);
    for (Ref shard : look.shards()) {
      parts.add(Entries.key(look.id(), shard.number()));
      all =
          all.thenCompose(done -> entries.read(look.id(), shard.number()))
              .thenApply(
                  found -> {
                    byte[] bytes = found.orElseThrow(ReadingFailedException::new);
                    for (Item<T> item : ItemWire.read(space, bytes)) {
                      if (item.place() instanceof Place.Packed packed) {
                        parts.add(Entries.key(look.id(), packed.pack()));
                      }
                    }
                    return parts;
                  });
    }
    return all;
  }
}
