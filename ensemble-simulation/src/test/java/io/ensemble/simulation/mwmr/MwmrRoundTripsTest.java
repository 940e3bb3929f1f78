package io.ensemble.simulation.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.WriteOutcome;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.simulation.mwmr.MwmrSimCache.Opened;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The cost of operations without contention, in round trips. */
class MwmrRoundTripsTest {

  private static final Map<String, Integer> TABLE = new LinkedHashMap<>();

  private final MwmrSimFixture mwmrSimFixture = new MwmrSimFixture();
  private final Opened one = mwmrSimFixture.process();
  private final Opened other = mwmrSimFixture.process();

  private void costs(String what, int rounds) {
    int counted = mwmrSimFixture.rounds();
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
    mwmrSimFixture.read(one, "k");
    costs("read of an absent key", 1);
    mwmrSimFixture.put(one, "k", 1);
    costs("put of a new key", 2);
    mwmrSimFixture.read(one, "k");
    costs("read", 1);
    mwmrSimFixture.read(other, "k");
    costs("read of what another client wrote", 1);
    mwmrSimFixture.put(other, "k", 2);
    costs("put of a key that another client wrote", 2);
    mwmrSimFixture.cas(one, "k", 2L, 3);
    costs("conditional operation, condition met", 2);
    mwmrSimFixture.cas(other, "k", 2L, 4);
    costs("conditional operation, condition not met", 1);
    mwmrSimFixture.put(other, "k", null);
    costs("remove directly after an operation that read", 1);
    mwmrSimFixture.cas(one, "k", null, 5);
    costs("putIfAbsent after a remove", 2);
  }

  @Test
  void aClientThatKeepsWritingAKey() {
    mwmrSimFixture.put(one, "k", 1);
    mwmrSimFixture.pass(100);
    mwmrSimFixture.put(one, "k", 1);
    mwmrSimFixture.pass(100);
    mwmrSimFixture.put(one, "k", 2);
    mwmrSimFixture.pass(100);
    mwmrSimFixture.rounds();
    mwmrSimFixture.put(one, "k", 3);
    costs("put by a client that keeps writing the key", 1);
    mwmrSimFixture.pass(100);
    mwmrSimFixture.read(one, "k");
    mwmrSimFixture.rounds();
    mwmrSimFixture.cas(one, "k", 3L, 4);
    costs("conditional operation by a client that keeps writing the key", 1);
    mwmrSimFixture.pass(100);
    mwmrSimFixture.put(other, "k", 5);
    mwmrSimFixture.rounds();
    mwmrSimFixture.put(one, "k", 6);
    costs("put after another client came between", 3);
    assertThat(mwmrSimFixture.read(other, "k")).isEqualTo(6);
  }

  /** As atomic objects write. */
  @Test
  void aClientThatSaysThatItWillWriteAgain() {
    mwmrSimFixture.put(other, "k", 1);
    mwmrSimFixture.pass(100);
    mwmrSimFixture.rounds();
    exchange(1, 2);
    costs("first exchange", 2);
    mwmrSimFixture.pass(100);
    exchange(2, 3);
    costs("exchange after an exchange", 1);
  }

  private void exchange(long expected, long next) {
    WriteOutcome<Boolean> outcome =
        mwmrSimFixture.update(
            one,
            "k",
            Update.expectingNextWrite(
                now ->
                    Objects.equals(HistoryPayloads.number(now), expected)
                        ? Decision.write(HistoryPayloads.payload(next), true)
                        : Decision.keep(false)));
    assertThat(outcome)
        .isInstanceOfSatisfying(
            WriteOutcome.Applied.class, applied -> assertThat(applied.result()).isEqualTo(true));
  }

  @Test
  void aClientThatWritesAKeyWithoutAPause() {
    MwmrSimFixture inStep = MwmrSimFixture.inStep();
    Opened writer = inStep.process();
    Opened reader = inStep.process();
    inStep.put(writer, "k", 1);
    inStep.put(writer, "k", 2);
    inStep.put(writer, "k", 3);
    for (int value = 4; value < 20; value++) {
      inStep.rounds();
      inStep.put(writer, "k", value);
      assertThat(inStep.rounds())
          .as("put directly after a put; a site may overtake the vote with the read behind it")
          .isBetween(1, 2);
    }
    inStep.put(reader, "k", 20);
    assertThat(inStep.read(writer, "k")).isEqualTo(20);
    inStep.rounds();
    inStep.put(writer, "k", 21);
    assertThat(inStep.rounds()).as("put after a read").isBetween(1, 2);
    assertThat(inStep.read(reader, "k")).isEqualTo(21);
  }

  @Test
  void writersOfOneKeyInOneProcess() {
    List<CompletionStage<WriteOutcome<Long>>> writes = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      writes.add(
          one.engine()
              .update(
                  HistoryPayloads.key("k"),
                  now -> {
                    long next = now == null ? 1 : HistoryPayloads.number(now) + 1;
                    return Decision.write(HistoryPayloads.payload(next), next);
                  },
                  MwmrSimFixture.in(one.client(), 900)));
    }

    List<Long> results = new ArrayList<>();
    for (CompletionStage<WriteOutcome<Long>> write : writes) {
      results.add(((WriteOutcome.Applied<Long>) mwmrSimFixture.get(write)).result());
    }

    assertThat(results).isEqualTo(LongStream.rangeClosed(1, 64).boxed().toList());
    costs("64 puts of one key at once, all of them: the first alone, the rest together", 4);
    assertThat(mwmrSimFixture.read(other, "k")).isEqualTo(64);
  }

  @Test
  void oneSiteDown() {
    mwmrSimFixture.put(one, "fast", 1);
    mwmrSimFixture.put(one, "put", 1);
    mwmrSimFixture.put(one, "cas", 1);
    mwmrSimFixture.put(one, "known", 1);
    mwmrSimFixture.down("rome");
    mwmrSimFixture.rounds();
    mwmrSimFixture.read(other, "fast");
    costs("one site down: first read after a fast write by another client", 2);
    mwmrSimFixture.read(other, "fast");
    costs("one site down: second read", 1);
    mwmrSimFixture.read(one, "known");
    costs("one site down: read of a fast write of one's own", 1);
    mwmrSimFixture.put(other, "put", 2);
    costs("one site down: put", 4);
    mwmrSimFixture.put(other, "put", 3);
    costs("one site down: put by the client that wrote the key last", 2);
    mwmrSimFixture.cas(other, "put", 3L, 4);
    costs("one site down: conditional operation by the client that wrote the key last", 2);
    mwmrSimFixture.put(other, "put", null);
    costs("one site down: remove by the client that wrote the key last", 4);
    mwmrSimFixture.put(other, "put", 4);
    mwmrSimFixture.put(other, "put", 5);
    mwmrSimFixture.rounds();
    mwmrSimFixture.put(one, "put", 2);
    costs("one site down: put after one of another client", 4);
    mwmrSimFixture.put(other, "put", 2);
    costs("one site down: put after another client came between", 4);
    mwmrSimFixture.read(one, "put");
    costs("one site down: read of a majority with a site whose silence shows only now", 2);
    mwmrSimFixture.read(one, "put");
    costs("one site down: read after a classic write", 1);
    mwmrSimFixture.put(other, "new", 2);
    costs("one site down: put of a new key", 4);
    mwmrSimFixture.cas(other, "cas", 1L, 2);
    costs("one site down: conditional operation, condition met", 4);
    mwmrSimFixture.cas(one, "cas", 1L, 3);
    costs("one site down: conditional operation, condition not met", 1);
    mwmrSimFixture.up("rome");
    mwmrSimFixture.put(other, "put", 3);
    costs("the site is back: first put", 2);
    mwmrSimFixture.pass(3_000);
    mwmrSimFixture.rounds();
    mwmrSimFixture.put(other, "put", 4);
    costs("the site is back: second put", 2);
  }
}
