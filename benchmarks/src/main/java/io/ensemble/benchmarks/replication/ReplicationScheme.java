package io.ensemble.benchmarks.replication;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.benchmarks.contest.Contender;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.federation.CountedClient;
import io.ensemble.benchmarks.federation.FederationProcess;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The compared schemes that replicate values to several sites. Each has the number of round trips
 * to far sites that it promises without failures and without other clients at the key.
 */
public enum ReplicationScheme {
  /** The local site answers and acknowledges; the others follow. */
  WEAK("WEAK", 0, 0),
  /**
   * The local site is the primary and answers. Of the three round trips of a write, the first and
   * the last are to the primary, and the other to a majority. That holds for new keys, and for keys
   * that the writer has written lately; otherwise a write waits for two far round trips.
   */
  SWMR_MAJORITY("SWMR, ack majority", 0, 1),
  /** The local site is the primary, answers and acknowledges. */
  SWMR_PRIMARY("SWMR, ack primary", 0, 0),
  /** Majorities answer. */
  MWMR("MWMR", 1, 2),
  /** See {@link TwoTripQuorum}. */
  TWO_TRIPS("two-trip quorum", 2, 2);

  private final String shown;
  private final int readTrips;
  private final int writeTrips;

  ReplicationScheme(String shown, int readTrips, int writeTrips) {
    this.shown = shown;
    this.readTrips = readTrips;
    this.writeTrips = writeTrips;
  }

  /** The modes of Ensemble. */
  static List<ReplicationScheme> modes() {
    return Arrays.stream(values()).filter(each -> each != TWO_TRIPS).toList();
  }

  int readTrips() {
    return readTrips;
  }

  int writeTrips() {
    return writeTrips;
  }

  /** The mean over the given numbers of reads and writes. */
  double trips(long reads, long writes) {
    return (double) (reads * readTrips + writes * writeTrips) / (reads + writes);
  }

  /** Opens a store at {@code sites}, of which the first is local. */
  ReplicatedStore open(FederationProcess federation, List<String> sites) {
    return switch (this) {
      case WEAK -> new CacheStore(federation, newCache(Mode.WEAK, sites));
      case SWMR_MAJORITY -> new CacheStore(federation, newCache(Mode.SWMR, sites));
      case SWMR_PRIMARY ->
          new CacheStore(
              federation, newCache(Mode.SWMR, sites).acknowledgement(Acknowledgement.PRIMARY));
      case MWMR -> new CacheStore(federation, newCache(Mode.MWMR, sites));
      case TWO_TRIPS -> new TwoTripQuorum(federation.sites().subList(0, sites.size()));
    };
  }

  private static CacheDefinition.Builder newCache(Mode mode, List<String> sites) {
    return CacheDefinition.of("far-" + mode + "-" + UUID.randomUUID(), mode).sites(sites);
  }

  /** A contender that runs the workload on {@code replicatedStore}. */
  Contender contender(
      ReplicatedStore replicatedStore, Workload workload, int records, byte[] value) {
    LongPredicate writes = workload.writes();
    Workload.KeyChoice keys = workload.choice(records);
    return new Contender(
        shown,
        number -> {
          if (writes.test(number)) {
            keys.write(number, key -> replicatedStore.write(key, value));
          } else if (replicatedStore.read(keys.toRead(number)) == null) {
            throw new IllegalStateException("an existing key was not found; by=" + shown);
          }
        },
        replicatedStore::settle,
        writes);
  }

  @Override
  public String toString() {
    return shown;
  }

  /** A store in a cache of Ensemble, with its own client. */
  private static final class CacheStore implements ReplicatedStore {

    private final CountedClient client;
    private final EnsembleCache<String, byte[]> cache;

    CacheStore(FederationProcess federation, CacheDefinition.Builder definition) {
      client = new CountedClient(federation.sites(), new InMemoryDefinitions());
      cache = client.cache(definition.build());
    }

    @Override
    public byte @Nullable [] read(String key) {
      return cache.get(key);
    }

    @Override
    public void write(String key, byte[] value) {
      cache.put(key, value);
    }

    @Override
    public void settle() {
      client.settle();
    }

    @Override
    public void close() {
      client.manager().deleteCache(cache.getName());
      client.close();
    }
  }
}
