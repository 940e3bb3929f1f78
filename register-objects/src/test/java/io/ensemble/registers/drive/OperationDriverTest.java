package io.ensemble.registers.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.registers.ContentionManager;
import io.ensemble.registers.RegisterObjectException;
import io.ensemble.registers.algorithm.Execution;
import io.ensemble.registers.algorithm.RegisterCell;
import io.ensemble.registers.algorithm.RegisterOperations;
import io.ensemble.registers.algorithm.RegisterOperations.SetSize;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.drive.OperationDriver.Ending;
import io.ensemble.registers.memory.RegisterMemory;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What happens to an operation whose accesses fail. */
class OperationDriverTest {

  private static final Participant SELF = new Participant(1, 2);
  private static final SetSize SIZE = new SetSize(2, 1, 1);

  /** Registers that fail as a test says, and hold what is written otherwise. */
  private static class Registers implements RegisterMemory {
    final Map<String, RegisterCell> cells = new ConcurrentHashMap<>();
    final AtomicInteger writes = new AtomicInteger();

    @Override
    public CompletionStage<@Nullable RegisterCell> read(String register) {
      return CompletableFuture.completedFuture(cells.get(register));
    }

    @Override
    public CompletionStage<Map<String, RegisterCell>> readAll(Collection<String> registers) {
      return CompletableFuture.completedFuture(Map.copyOf(cells));
    }

    @Override
    public CompletionStage<Written> write(String register, RegisterCell cell) {
      writes.incrementAndGet();
      cells.put(register, cell);
      return CompletableFuture.completedFuture(Written.DONE);
    }
  }

  private static Ending propose(RegisterMemory memory, Duration deadline) {
    CompletableFuture<Ending> ending =
        OperationDriver.run(
                memory,
                SELF,
                ContentionManager.none(),
                Execution.begin(
                    RegisterOperations.proposeToSet(
                        "a", SIZE, SELF, 0, List.of(), new Bytes(new byte[] {1}))),
                System.nanoTime() + deadline.toNanos())
            .toCompletableFuture();
    await("an end").atMost(Duration.ofMinutes(1)).until(ending::isDone);
    return ending.join();
  }

  private static QuorumUnavailableException unavailable() {
    return new QuorumUnavailableException("c", new QuorumFailure(1, 1, Set.of(), Map.of()));
  }

  @Test
  void refusedWritesAndReadsWithoutAnAnswerAreRepeated() {
    AtomicInteger failures = new AtomicInteger();
    Ending ending =
        propose(
            new Registers() {
              @Override
              public CompletionStage<@Nullable RegisterCell> read(String register) {
                return failures.incrementAndGet() % 2 == 1
                    ? CompletableFuture.failedFuture(unavailable())
                    : super.read(register);
              }

              @Override
              public CompletionStage<Written> write(String register, RegisterCell cell) {
                return failures.incrementAndGet() % 2 == 1
                    ? CompletableFuture.completedFuture(Written.REFUSED)
                    : super.write(register, cell);
              }
            },
            Duration.ofMinutes(1));

    assertThat(ending).isEqualTo(new Ending.Returned(new Bytes(new byte[] {1})));
    assertThat(failures).hasValueGreaterThan(5);
  }

  @Test
  void aWriteThatIsNotMadeLeavesNothingBehind() {
    Ending ending =
        propose(
            new Registers() {
              @Override
              public CompletionStage<Written> write(String register, RegisterCell cell) {
                throw new IllegalArgumentException("too large");
              }
            },
            Duration.ofMinutes(1));

    assertThat(ending)
        .isInstanceOfSatisfying(
            Ending.Abandoned.class,
            abandoned -> {
              assertThat(abandoned.isWriting()).isFalse();
              assertThat(abandoned.isProposed()).isFalse();
              assertThat(abandoned.cause()).hasMessage("too large");
            });
  }

  @Test
  void anUnknownWriteEndsTheOperation() {
    Ending ending =
        propose(
            new Registers() {
              @Override
              public CompletionStage<Written> write(String register, RegisterCell cell) {
                return register.contains("/value-")
                    ? CompletableFuture.completedFuture(Written.UNKNOWN)
                    : super.write(register, cell);
              }
            },
            Duration.ofMinutes(1));

    assertThat(ending)
        .isInstanceOfSatisfying(
            Ending.Abandoned.class,
            abandoned -> {
              assertThat(abandoned.isWriting()).isTrue();
              assertThat(abandoned.isProposed()).isTrue();
            });
  }

  @Test
  void anOperationStopsAtItsDeadlineAndCanGoOn() {
    Registers registers = new Registers();
    Ending.Abandoned late = (Ending.Abandoned) propose(registers, Duration.ZERO);

    assertThat(late.isWriting()).isFalse();
    assertThat(registers.writes).hasValue(0);
    Ending ending =
        OperationDriver.run(
                registers,
                SELF,
                ContentionManager.none(),
                late.at(),
                System.nanoTime() + Duration.ofMinutes(1).toNanos())
            .toCompletableFuture()
            .join();
    assertThat(ending).isEqualTo(new Ending.Returned(new Bytes(new byte[] {1})));
  }

  /** Also as another participant: the first one has a write that may still take effect. */
  @Test
  void aProcessHasOneValueInSetAgreement() {
    AtomicInteger values = new AtomicInteger();
    SetProposal proposal =
        new SetProposal(
            "a",
            new Registers() {
              @Override
              public CompletionStage<Written> write(String register, RegisterCell cell) {
                return register.contains("/value-") && values.getAndIncrement() == 0
                    ? CompletableFuture.completedFuture(Written.UNKNOWN)
                    : super.write(register, cell);
              }
            },
            SIZE,
            Duration.ofMinutes(1),
            ContentionManager.none());

    assertThat(proposal.propose(new byte[] {1}).toCompletableFuture()).isCompletedExceptionally();
    byte[] decided = proposal.propose(new byte[] {2}).toCompletableFuture().join();
    assertThat(decided).containsExactly(1);
    decided[0] = 3;
    assertThat(proposal.propose(new byte[] {2}).toCompletableFuture().join()).containsExactly(1);
  }

  private static SetProposal repeated(RegisterMemory memory) {
    return new SetProposal("a", memory, SIZE, Duration.ofMinutes(1), ContentionManager.none());
  }

  private static int proposeNext(SetProposal proposal, int value) {
    return proposal.proposeNext(new byte[] {(byte) value}).toCompletableFuture().join()[0];
  }

  @Test
  void aProcessThatIsBehindGetsTheFormerDecisions() {
    Registers registers = new Registers();
    SetProposal ahead = repeated(registers);
    SetProposal behind = repeated(registers);
    for (int i = 0; i < SetProposal.FORMER_DECISIONS; i++) {
      assertThat(proposeNext(ahead, i)).isEqualTo(i);
    }
    assertThat(proposeNext(behind, 100)).isEqualTo(0);
    for (int i = 1; i < SetProposal.FORMER_DECISIONS; i++) {
      assertThat(proposeNext(behind, 100 + i)).isEqualTo(i);
    }
    assertThat(behind.instance()).isEqualTo(SetProposal.FORMER_DECISIONS - 1);
    assertThat(proposeNext(behind, 55)).isEqualTo(55);
    assertThat(proposeNext(ahead, 56)).isEqualTo(55);
  }

  @Test
  void aProcessThatIsTooFarBehindMissesInstances() {
    Registers registers = new Registers();
    SetProposal ahead = repeated(registers);
    SetProposal behind = repeated(registers);
    for (int i = 0; i <= SetProposal.FORMER_DECISIONS + 1; i++) {
      assertThat(proposeNext(ahead, i)).isEqualTo(i);
    }
    assertThat(behind.proposeNext(new byte[] {1}).toCompletableFuture())
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableThat()
        .withCauseInstanceOf(RegisterObjectException.NotApplied.class);
    assertThat(proposeNext(behind, 1)).isEqualTo(SetProposal.FORMER_DECISIONS + 1);
    assertThat(behind.instance()).isEqualTo(SetProposal.FORMER_DECISIONS + 1);
    assertThat(proposeNext(behind, 99)).isEqualTo(99);
  }

  @Test
  void oneProposalAtATime() {
    CompletableFuture<RegisterMemory.Written> never = new CompletableFuture<>();
    SetProposal proposal =
        repeated(
            new Registers() {
              @Override
              public CompletionStage<Written> write(String register, RegisterCell cell) {
                return never;
              }
            });
    CompletionStage<byte[]> first = proposal.proposeNext(new byte[] {1});

    assertThat(proposal.proposeNext(new byte[] {2}).toCompletableFuture())
        .isCompletedExceptionally();
    assertThat(first.toCompletableFuture()).isNotDone();
  }
}
