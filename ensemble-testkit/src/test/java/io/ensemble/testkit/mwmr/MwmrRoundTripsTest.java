package io.ensemble.testkit.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.WriteOutcome;
import io.ensemble.register.Update.Decision;
import io.ensemble.testkit.mwmr.SimCache.Opened;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What operations cost without contention, in rounds of requests. */
class MwmrRoundTripsTest {

  private static final Map<String, Integer> TABLE = new LinkedHashMap<>();

  private final Scene scene = new Scene();
  private final Opened one = scene.process();
  private final Opened other = scene.process();

  private void costs(String what, int rounds) {
    int counted = scene.rounds();
    TABLE.put(what, counted);
    assertThat(counted).as(what).isEqualTo(rounds);
  }

  @AfterAll
  static void print() {
    TABLE.forEach(
        (what, rounds) -> System.out.printf("MWMR round trips: %-70s %d%n", what, rounds));
  }

  @Test
  void allSitesUp() {
    scene.read(one, "k");
    costs("read of an absent key", 1);
    scene.put(one, "k", 1);
    costs("put of a new key", 2);
    scene.read(one, "k");
    costs("read", 1);
    scene.read(other, "k");
    costs("read of what another client wrote", 1);
    scene.put(other, "k", 2);
    costs("put of a key that another client wrote", 2);
    scene.cas(one, "k", 2L, 3);
    costs("conditional operation, condition met", 2);
    scene.cas(other, "k", 2L, 4);
    costs("conditional operation, condition not met", 1);
    scene.put(other, "k", null);
    costs("remove", 2);
    scene.cas(one, "k", null, 5);
    costs("putIfAbsent after a remove", 2);
  }

  @Test
  void aClientThatKeepsWritingAKey() {
    scene.put(one, "k", 1);
    scene.pass(100);
    scene.put(one, "k", 2);
    scene.pass(100);
    scene.rounds();
    scene.put(one, "k", 3);
    costs("put by a client that keeps writing the key", 1);
    scene.pass(100);
    scene.read(one, "k");
    scene.rounds();
    scene.cas(one, "k", 3L, 4);
    costs("conditional operation by a client that keeps writing the key", 1);
    scene.pass(100);
    scene.put(other, "k", 5);
    scene.rounds();
    scene.put(one, "k", 6);
    costs("put after another client came between", 3);
    assertThat(scene.read(other, "k")).isEqualTo(6);
  }

  @Test
  void writersOfOneKeyInOneProcess() {
    List<CompletionStage<WriteOutcome<Long>>> writes = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      writes.add(
          one.engine()
              .update(
                  Values.key("k"),
                  now -> {
                    long next = now == null ? 1 : Values.number(now) + 1;
                    return Decision.write(Values.payload(next), next);
                  },
                  Scene.in(one.client(), 900)));
    }

    List<Long> results = new ArrayList<>();
    for (CompletionStage<WriteOutcome<Long>> write : writes) {
      results.add(((WriteOutcome.Applied<Long>) scene.get(write)).result());
    }

    assertThat(results).isEqualTo(LongStream.rangeClosed(1, 64).boxed().toList());
    costs("64 puts of one key at once, all of them: the first alone, the rest together", 4);
    assertThat(scene.read(other, "k")).isEqualTo(64);
  }

  @Test
  void oneSiteDown() {
    scene.put(one, "fast", 1);
    scene.put(one, "put", 1);
    scene.put(one, "cas", 1);
    scene.put(one, "known", 1);
    scene.down("rome");
    scene.rounds();
    scene.read(other, "fast");
    costs("one site down: first read after a fast write by another client", 2);
    scene.read(other, "fast");
    costs("one site down: second read", 1);
    scene.read(one, "known");
    costs("one site down: read of a fast write of one's own", 1);
    scene.put(other, "put", 2);
    costs("one site down: put", 4);
    scene.put(other, "put", 3);
    costs("one site down: put by the client that wrote the key last", 2);
    scene.cas(other, "put", 3L, 4);
    costs("one site down: conditional operation by the client that wrote the key last", 2);
    scene.put(other, "put", null);
    costs("one site down: remove by the client that wrote the key last", 4);
    scene.put(other, "put", 4);
    scene.put(other, "put", 5);
    scene.rounds();
    scene.put(one, "put", 2);
    costs("one site down: put after one of another client", 4);
    scene.put(other, "put", 2);
    costs("one site down: put after another client came between", 4);
    scene.read(one, "put");
    costs("one site down: read of a majority with a site whose silence shows only now", 2);
    scene.read(one, "put");
    costs("one site down: read after a classic write", 1);
    scene.put(other, "new", 2);
    costs("one site down: put of a new key", 4);
    scene.cas(other, "cas", 1L, 2);
    costs("one site down: conditional operation, condition met", 4);
    scene.cas(one, "cas", 1L, 3);
    costs("one site down: conditional operation, condition not met", 1);
    scene.up("rome");
    scene.put(other, "put", 3);
    costs("the site is back: first put", 2);
    scene.pass(3_000);
    scene.rounds();
    scene.put(other, "put", 4);
    costs("the site is back: second put", 2);
  }
}
