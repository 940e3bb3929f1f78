package io.ensemble.cache.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.DistributedDefinition;
import io.ensemble.InDoubtWrites;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.Payload;
import io.ensemble.cache.WindowedEngine;
import io.ensemble.cache.distributed.DistributedEngine;
import io.ensemble.cache.distributed.PartitionTable;
import io.ensemble.codec.Codec;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Reports of writes in doubt carry the keys that users gave. */
class DoubtfulWritesTest extends CacheAdapterFixture {

  private static final Stamp STAMP = new Stamp(7, new WriterId(1, 2));

  /** An engine that only reports writes in doubt. */
  private static final class Telling implements CacheEngine, WindowedEngine {

    final List<Consumer<InDoubtWrites<Bytes>>> listeners = new ArrayList<>();

    @Override
    public State window() {
      return new State(0, Duration.ZERO, 0);
    }

    @Override
    public Runnable listen(Consumer<InDoubtWrites<Bytes>> listener) {
      listeners.add(listener);
      return () -> listeners.remove(listener);
    }

    @Override
    public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> write(Bytes key, Payload value, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <R> CompletionStage<WriteOutcome<R>> update(
        Bytes key, Update<Payload, R> update, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public EntryScan scan(int batchSize) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      listeners.clear();
    }
  }

  @Test
  void theyHaveTheKeysOfTheUser() {
    Telling telling = new Telling();
    Codec codec = new Codec(List.of());
    CacheInstance windowed = faces(telling, codec);
    List<InDoubtWrites<String>> heard = new ArrayList<>();

    Runnable end = windowed.<String, Object>cache().onInDoubtWrites(heard::add);
    Bytes key = codec.encode("user:7");
    telling.listeners.forEach(
        listener ->
            listener.accept(
                new InDoubtWrites<>(
                    "c", 3, Fate.LOST, List.of(new InDoubtWrites.Write<>(key, STAMP)))));
    end.run();

    assertThat(heard)
        .containsExactly(
            new InDoubtWrites<>(
                "c", 3, Fate.LOST, List.of(new InDoubtWrites.Write<>("user:7", STAMP))));
    assertThat(telling.listeners).isEmpty();
  }

  @Test
  void aDistributedCacheTellsThoseOfAllItsParts() {
    Codec codec = new Codec(List.of());
    List<Telling> parts = List.of(new Telling(), new Telling());
    DistributedEngine engine =
        new DistributedEngine(
            PartitionTable.settled(
                new PartitionTable.Side(
                    DistributedDefinition.of("d", "p", "q"),
                    parts.stream().map(part -> faces(part, codec)).toList(),
                    key -> 0)),
            null,
            codec,
            null);
    List<String> heard = new ArrayList<>();

    Runnable end =
        faces(engine, codec).<String, Object>cache().onInDoubtWrites(r -> heard.add(r.cache()));
    for (int i = 0; i < 2; i++) {
      InDoubtWrites<Bytes> report = new InDoubtWrites<>("part" + i, 3, Fate.LOST, List.of());
      parts.get(i).listeners.forEach(listener -> listener.accept(report));
    }
    end.run();

    assertThat(heard).containsExactly("part0", "part1");
    assertThat(parts).allSatisfy(part -> assertThat(part.listeners).isEmpty());
  }

  private CacheInstance faces(CacheEngine over, Codec codec) {
    return new CacheInstance(
        definition, over, codec, scheduler, CacheMetrics.NONE, micros::get, () -> {});
  }

  @Test
  void cachesWithoutAWindowTellOfNone() {
    cache.onInDoubtWrites(report -> assertThat(report).isNull()).run();
  }
}
