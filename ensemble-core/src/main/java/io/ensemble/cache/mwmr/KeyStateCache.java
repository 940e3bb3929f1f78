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
 * The state of keys that a client keeps between calls. The first part is a ballot known to be
 * chosen. With that knowledge, two equal fast votes of three prove that a value is chosen, so a
 * majority suffices for a read. The second part is the cells, with their entry versions, of a few
 * keys that the client keeps writing; they save a write its read. The third part is ballots that
 * are promised to the client's next write. The cache is bounded; an eviction costs round trips,
 * never safety.
 */
final class KeyStateCache {

  /** How many keys have their last chosen ballot remembered. */
  static final int KEYS = 100_000;

  /** How many keys have a ballot that is promised to the next write. */
  static final int PREPARED = 10_000;

  /**
   * The age from which a promised ballot is not used. A write has the stamp of its ballot, and
   * streams of changes rely on stamps that are not much older than the write.
   */
  static final long PREPARED_MICROS = 30_000_000;

  /** How many bytes of values of frequently written keys are remembered. */
  static final long CELL_BYTES = 16 << 20;

  /**
   * The cells that a write may start from.
   *
   * @param untilNanos the time after which another client has probably written the key; {@link
   *     #NO_LIMIT} if none is expected to
   */
  record CachedCells(StoreSet replicas, List<VersionedCell<Payload>> cells, long untilNanos) {

    static final long NO_LIMIT = Long.MAX_VALUE;

    Ballot ballot() {
      return cells.get(0).cell().accepted();
    }

    boolean isFresh(long nowNanos) {
      return untilNanos == NO_LIMIT || nowNanos - untilNanos < 0;
    }

    int weight() {
      Payload value = cells.get(0).cell().content().value();
      return 256 + (value == null ? 0 : value.value().size());
    }
  }

  /**
   * A ballot that certain incarnations of stores promised; it is valid for those incarnations only.
   */
  private record PromisedBallot(StoreSet replicas, PreparedBallot prepared) {

    Optional<PreparedBallot> restrictTo(StoreSet currentStores) {
      Set<Integer> sameSites = new TreeSet<>(prepared.sites());
      sameSites.removeIf(site -> !replicas.isSameAs(currentStores, site));
      return sameSites.isEmpty()
          ? Optional.empty()
          : Optional.of(new PreparedBallot(prepared.ballot(), sameSites));
    }
  }

  private final Cache<Bytes, PromisedBallot> preparedBallots =
      Caffeine.newBuilder().maximumSize(PREPARED).executor(Runnable::run).build();

  /**
   * The ballot chosen when this client last used a key.
   *
   * @param finds how often in a row the chosen ballot was one that this client had found or written
   *     before, up to {@code needed}
   * @param needed how many finds make the key steady. Doubles each time another client writes a
   *     steady key, so that keys with several writing clients do not stay steady
   */
  private record ChosenBallot(Ballot ballot, int finds, int needed) {

    private static final int MOST_NEEDED = 64;

    /** The first record of a key, after a read or a write. */
    static ChosenBallot first(Ballot ballot, boolean isOwn) {
      return new ChosenBallot(ballot, isOwn ? 1 : 0, 1);
    }

    boolean isSteady() {
      return finds >= needed;
    }

    ChosenBallot next(Ballot latest, boolean isOwn) {
      if (ballot.compareTo(latest) > 0) {
        return this; // A call that began before the call that found this ballot.
      }
      if (isOwn) {
        return new ChosenBallot(latest, finds, needed);
      }
      if (ballot.equals(latest)) {
        return isSteady() ? this : new ChosenBallot(latest, finds + 1, needed);
      }
      return new ChosenBallot(latest, 0, isSteady() ? Math.min(MOST_NEEDED, 2 * needed) : needed);
    }
  }

  private final Cache<Bytes, ChosenBallot> chosen =
      Caffeine.newBuilder().maximumSize(KEYS).executor(Runnable::run).build();
  private final Cache<Bytes, CachedCells> cells =
      Caffeine.newBuilder()
          .maximumWeight(CELL_BYTES)
          .weigher((Bytes key, CachedCells value) -> key.size() + value.weight())
          .executor(Runnable::run)
          .build();

  /** A ballot of the key that was chosen, or {@link Ballot#ZERO}. */
  Ballot chosen(Bytes key) {
    ChosenBallot chosenBallot = chosen.getIfPresent(key);
    return chosenBallot == null ? Ballot.ZERO : chosenBallot.ballot();
  }

  /**
   * Whether a majority will probably suffice for a read of the key: no other client seems to write
   * it.
   */
  boolean isSteady(Bytes key) {
    ChosenBallot chosenBallot = chosen.getIfPresent(key);
    return chosenBallot != null && chosenBallot.isSteady();
  }

  /**
   * Records a chosen ballot.
   *
   * @param isOwn whether this client has just written the ballot; the key then stays as steady as
   *     before
   */
  void recordChosen(Bytes key, Ballot ballot, boolean isOwn) {
    ChosenBallot previous = chosen.getIfPresent(key);
    ChosenBallot latest =
        previous == null ? ChosenBallot.first(ballot, isOwn) : previous.next(ballot, isOwn);
    if (latest != previous) {
      chosen.put(key, latest);
    }
  }

  /** Takes out the cells of a key, which are valid for one write. */
  Optional<CachedCells> takeCells(Bytes key) {
    return Optional.ofNullable(cells.asMap().remove(key))
        .filter(known -> chosen(key).compareTo(known.ballot()) <= 0);
  }

  /**
   * Remembers cells, unless later ones are known, or the same without a limit of their age.
   *
   * @return the cells that were known before
   */
  Optional<CachedCells> remember(Bytes key, CachedCells cachedCells) {
    if (chosen(key).compareTo(cachedCells.ballot()) > 0) {
      return Optional.empty();
    }
    CachedCells[] before = new CachedCells[1];
    cells
        .asMap()
        .compute(
            key,
            (same, known) -> {
              before[0] = known;
              int order = known == null ? -1 : known.ballot().compareTo(cachedCells.ballot());
              boolean servesLonger = order == 0 && known.untilNanos() == CachedCells.NO_LIMIT;
              return order > 0 || servesLonger ? known : cachedCells;
            });
    return Optional.ofNullable(before[0]);
  }

  /**
   * Takes out the ballot promised to the next write of a key, which is valid for one write.
   *
   * @param nowMicros the time of the clock from which ballots are drawn
   */
  Optional<PreparedBallot> takePrepared(Bytes key, StoreSet replicas, long nowMicros) {
    return Optional.ofNullable(preparedBallots.asMap().remove(key))
        .flatMap(promisedBallot -> promisedBallot.restrictTo(replicas))
        .filter(prepared -> nowMicros - prepared.ballot().round() < PREPARED_MICROS);
  }

  /** Records that the stores have promised a ballot to this client's next write of the key. */
  void recordPrepared(Bytes key, PreparedBallot prepared, StoreSet replicas) {
    preparedBallots.put(key, new PromisedBallot(replicas, prepared));
  }

  /** Approximate numbers of remembered keys: chosen ballots, cells, and promised ballots. */
  List<Long> sizes() {
    chosen.cleanUp();
    cells.cleanUp();
    preparedBallots.cleanUp();
    return List.of(chosen.estimatedSize(), cells.estimatedSize(), preparedBallots.estimatedSize());
  }
}
