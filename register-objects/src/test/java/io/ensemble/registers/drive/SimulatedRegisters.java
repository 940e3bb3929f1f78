package io.ensemble.registers.drive;

import io.ensemble.registers.algorithm.RegisterCell;
import io.ensemble.registers.algorithm.RegisterValue.Retired;
import io.ensemble.registers.memory.RegisterMemory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Registers whose accesses take effect in an order that a seed decides. Writes may have an unknown
 * outcome and take effect much later or never, and processes may stop for good.
 */
final class SimulatedRegisters {

  /** A write with an unknown outcome takes effect after about so many steps, if at all. */
  private static final int LATE = 60;

  private record Access(int process, Runnable effect, Runnable answer) {}

  private final Random random;
  private final double unknownWrites;
  private final Map<String, RegisterCell> memory = new TreeMap<>();
  private final List<Access> pending = new ArrayList<>();
  private final List<Runnable> late = new ArrayList<>();
  private final Set<Integer> stopped = new HashSet<>();
  private long steps;
  private @Nullable String failing;

  SimulatedRegisters(long seed, double unknownWrites) {
    this.random = new Random(seed);
    this.unknownWrites = unknownWrites;
  }

  /** The number of steps so far, as a clock. */
  long steps() {
    return steps;
  }

  /** From now on no answer reaches the process. What it has begun may still take effect. */
  void stop(int process) {
    stopped.add(process);
  }

  /** Lets one access take effect; false if there is none. */
  boolean step() {
    if (pending.isEmpty()) {
      return false;
    }
    steps++;
    if (!late.isEmpty() && random.nextInt(LATE) == 0) {
      late.remove(random.nextInt(late.size())).run();
    }
    Access next = pending.remove(random.nextInt(pending.size()));
    if (!stopped.contains(next.process())) {
      next.effect().run();
      next.answer().run();
    } else if (random.nextBoolean()) {
      next.effect().run();
    }
    return true;
  }

  /** The next read of a register whose name ends so fails. */
  void failOnce(String end) {
    failing = end;
  }

  /** How many participants have returned their entries. */
  long retired() {
    return memory.values().stream().filter(cell -> cell.value() == Retired.RETIRED).count();
  }

  /** The registers as a process has them. */
  RegisterMemory of(int process) {
    return new RegisterMemory() {
      @Override
      public CompletionStage<@Nullable RegisterCell> read(String register) {
        CompletableFuture<@Nullable RegisterCell> answer = new CompletableFuture<>();
        if (failing != null && register.endsWith(failing)) {
          failing = null;
          pending.add(
              new Access(
                  process,
                  () -> {},
                  () -> answer.completeExceptionally(new IllegalStateException("a failed read"))));
          return answer;
        }
        pending.add(new Access(process, () -> {}, () -> answer.complete(memory.get(register))));
        return answer;
      }

      @Override
      public CompletionStage<Map<String, RegisterCell>> readAll(Collection<String> registers) {
        Map<String, RegisterCell> cells = new ConcurrentHashMap<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (String register : registers) {
          all.add(
              read(register)
                  .thenAccept(
                      cell -> {
                        if (cell != null) {
                          cells.put(register, cell);
                        }
                      })
                  .toCompletableFuture());
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
            .thenApply(done -> cells);
      }

      @Override
      public CompletionStage<Written> write(String register, RegisterCell cell) {
        CompletableFuture<Written> answer = new CompletableFuture<>();
        Runnable effect = () -> memory.put(register, cell);
        if (random.nextDouble() < unknownWrites) {
          pending.add(new Access(process, () -> {}, () -> answer.complete(Written.UNKNOWN)));
          late.add(effect);
        } else {
          pending.add(new Access(process, effect, () -> answer.complete(Written.DONE)));
        }
        return answer;
      }
    };
  }
}
