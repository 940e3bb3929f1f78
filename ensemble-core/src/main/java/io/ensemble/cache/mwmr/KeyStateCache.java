package io.ensemble.cache.mwmr;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.register.Ballot;
import io.ensemble.register.PreparedBallot;
import io.ensemble.register.VersionedCell;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a client remembers of keys: a ballot that it knows to have been chosen, which lets two equal
 * fast votes of three prove something after all, and so a majority do for a read; of a few keys
 * that it keeps writing, the cells with their entry versions, which spares a write its read; and
 * ballots that are promised to its next write. Bounded; whatever is forgotten costs round trips,
 * never safety.
 */
final class KeyStateCache {

  /** How many keys have their last chosen ballot remembered. */
  static final int KEYS = 100_000;

  /** How many keys have a ballot that is promised to the next write. */
  static final int PREPARED = 10_000;

  /** How many bytes of values of keys that are being written are remembered. */
  static final long CELL_BYTES = 16 << 20;

  /** What a write may start from. */
  record Remembered(StoreSet replicas, List<VersionedCell<Payload>> cells) {

    int weight() {
      Payload value = cells.get(0).cell().content().value();
      return 256 + (value == null ? 0 : value.value().size());
    }
  }

  /** A ballot that stores promised: those and no others. */
  private record PromisedBallot(StoreSet replicas, PreparedBallot prepared) {

    Optional<PreparedBallot> in(StoreSet now) {
      Set<Integer> same = new TreeSet<>(prepared.sites());
      same.removeIf(site -> !replicas.isSameAs(now, site));
      return same.isEmpty()
          ? Optional.empty()
          : Optional.of(new PreparedBallot(prepared.ballot(), same));
    }
  }

  private final Cache<Bytes, PromisedBallot> promised =
      Caffeine.newBuilder().maximumSize(PREPARED).executor(Runnable::run).build();

  /**
   * What was chosen when this client used a key last.
   *
   * @param finds how often in a row it was what this client had found or written before, up to
   *     {@code needed}
   * @param needed how many finds make the key steady; doubles each time that another client wrote a
   *     steady one, so that keys that several clients write do not stay steady
   */
  private record Chosen(Ballot ballot, int finds, int needed) {

    private static final int MOST_NEEDED = 64;

    /** What was found, or written, first. */
    static Chosen first(Ballot ballot, boolean isOwn) {
      return new Chosen(ballot, isOwn ? 1 : 0, 1);
    }

    boolean isSteady() {
      return finds >= needed;
    }

    Chosen next(Ballot now, boolean isOwn) {
      if (ballot.compareTo(now) > 0) {
        return this; // Of a call that began before the one that found this.
      }
      if (isOwn) {
        return new Chosen(now, finds, needed);
      }
      if (ballot.equals(now)) {
        return isSteady() ? this : new Chosen(now, finds + 1, needed);
      }
      return new Chosen(now, 0, isSteady() ? Math.min(MOST_NEEDED, 2 * needed) : needed);
    }
  }

  private final Cache<Bytes, Chosen> chosen =
      Caffeine.newBuilder().maximumSize(KEYS).executor(Runnable::run).build();
  private final Cache<Bytes, Remembered> cells =
      Caffeine.newBuilder()
          .maximumWeight(CELL_BYTES)
          .weigher((Bytes key, Remembered value) -> key.size() + value.weight())
          .executor(Runnable::run)
          .build();

  /** A ballot of the key that was chosen, or {@link Ballot#ZERO}. */
  Ballot chosen(Bytes key) {
    Chosen known = chosen.getIfPresent(key);
    return known == null ? Ballot.ZERO : known.ballot();
  }

  /**
   * Whether a majority will probably do for a read of the key: no other client seems to write it.
   */
  boolean isSteady(Bytes key) {
    Chosen known = chosen.getIfPresent(key);
    return known != null && known.isSteady();
  }

  /**
   * Takes note of a chosen ballot.
   *
   * @param isOwn whether this client has just written it; then the key stays as steady as it was
   */
  void wasChosen(Bytes key, Ballot ballot, boolean isOwn) {
    Chosen before = chosen.getIfPresent(key);
    Chosen now = before == null ? Chosen.first(ballot, isOwn) : before.next(ballot, isOwn);
    if (now != before) {
      chosen.put(key, now);
    }
  }

  /** Takes out the cells of a key: they are good for one write. */
  Optional<Remembered> takeCells(Bytes key) {
    return Optional.ofNullable(cells.asMap().remove(key));
  }

  void remember(Bytes key, Remembered remembered) {
    cells.put(key, remembered);
  }

  /** Takes out what is promised to the next write of a key: it is good for one. */
  Optional<PreparedBallot> takePrepared(Bytes key, StoreSet replicas) {
    return Optional.ofNullable(promised.asMap().remove(key)).flatMap(found -> found.in(replicas));
  }

  /** The stores have promised a ballot to this client's next write of the key. */
  void wasPrepared(Bytes key, PreparedBallot prepared, StoreSet replicas) {
    promised.put(key, new PromisedBallot(replicas, prepared));
  }

  /** How many keys are remembered, about: chosen ballots, cells, and promised ballots. */
  List<Long> sizes() {
    chosen.cleanUp();
    cells.cleanUp();
    promised.cleanUp();
    return List.of(chosen.estimatedSize(), cells.estimatedSize(), promised.estimatedSize());
  }
}
