package io.ensemble.registers.algorithm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation in progress with the operations of lower objects that it waits for, as an immutable
 * value. Its move is a read, a write, a contention or the end.
 *
 * @param waiting the frames that wait for the result of the frame behind them, outermost first
 */
public record Execution(List<Frame> waiting, Move move) {

  public Execution {
    waiting = List.copyOf(waiting);
  }

  /** Begins an operation. */
  public static Execution begin(Frame operation) {
    return settle(new ArrayList<>(), operation.resume(null));
  }

  /** Goes on with the answer to the move. */
  public Execution answer(@Nullable Object answer) {
    Frame then;
    if (move instanceof Move.Read read) {
      then = read.then();
    } else if (move instanceof Move.ReadAll reads) {
      then = reads.then();
    } else if (move instanceof Move.Write write) {
      then = write.then();
    } else if (move instanceof Move.Contended contended) {
      then = contended.then();
    } else {
      throw new IllegalStateException("the operation has ended");
    }
    return settle(new ArrayList<>(waiting), then.resume(answer));
  }

  private static Execution settle(List<Frame> waiting, Move first) {
    Move move = first;
    while (true) {
      if (move instanceof Move.Call call) {
        waiting.add(call.then());
        move = call.callee().resume(null);
      } else if (move instanceof Move.Return ended && !waiting.isEmpty()) {
        move = waiting.remove(waiting.size() - 1).resume(ended.result());
      } else {
        return new Execution(waiting, move);
      }
    }
  }

  public boolean isEnded() {
    return move instanceof Move.Return;
  }

  /** The result, after the end. */
  public @Nullable Object result() {
    return ((Move.Return) move).result();
  }
}
