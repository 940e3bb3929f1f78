package io.ensemble.testkit.mwmr;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.Payload;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/** An operation of a user: its name and argument for the history, and its call to the engine. */
public record MwmrCall(String op, Object in, Ask ask) {

  /** Calls an engine; a read returns an applied outcome. */
  public interface Ask {
    CompletionStage<WriteOutcome<Object>> of(CacheEngine engine, Bytes key, Deadline deadline);
  }

  /**
   * A random operation.
   *
   * @param fresh a value that was never written
   * @param guess a value that may be present
   * @param endMicros when the written value expires, 0 for never
   */
  public static MwmrCall random(RandomGenerator random, long fresh, long guess, long endMicros) {
    Payload value = HistoryPayloads.payload(fresh, endMicros);
    return switch (random.nextInt(15)) {
      case 0, 1, 2 -> read();
      case 3, 4 -> write(fresh, value);
      case 5, 6 -> update("cas", List.of(guess, fresh), now -> when(is(now, guess), value));
      case 7 -> update("put_if_absent", fresh, now -> when(now == null, value));
      case 8 -> update("replace", fresh, now -> when(now != null, value));
      case 9, 10 ->
          update("swap", fresh, now -> Decision.write(value, HistoryPayloads.number(now)));
      case 11 -> update("remove_if", guess, now -> when(is(now, guess), null));
      case 12 -> update("contains", null, now -> Decision.keep(now != null));
      case 13 -> update("get_and_remove", null, MwmrCall::remove);
      default -> write("delete", null, null);
    };
  }

  public static MwmrCall read() {
    return new MwmrCall(
        "read",
        null,
        (engine, key, deadline) ->
            engine
                .read(key, deadline)
                .thenApply(
                    found ->
                        new WriteOutcome.Applied<>(
                            HistoryPayloads.number(found), io.ensemble.stamp.Stamp.NONE, false)));
  }

  /** Whether it may change the key. */
  public boolean writes() {
    return !op.equals("read") && !op.equals("contains");
  }

  /** The value that it writes if it changes the key; null for a removal. */
  public Long written() {
    boolean removes = op.equals("delete") || op.equals("get_and_remove") || op.equals("remove_if");
    Object last = in instanceof List<?> pair ? pair.get(1) : in;
    return removes ? null : (Long) last;
  }

  static MwmrCall write(long fresh, Payload value) {
    return write("write", fresh, value);
  }

  private static MwmrCall write(String op, Long in, Payload value) {
    return new MwmrCall(
        op,
        in,
        (engine, key, deadline) -> engine.write(key, value, deadline).thenApply(MwmrCall::asAny));
  }

  private static WriteOutcome<Object> asAny(WriteOutcome<Void> outcome) {
    if (outcome instanceof WriteOutcome.Applied<Void> applied) {
      return new WriteOutcome.Applied<>(null, applied.stamp(), applied.wrote());
    }
    return outcome instanceof WriteOutcome.Refused<Void> refused
        ? new WriteOutcome.Refused<>(refused.why())
        : new WriteOutcome.Unknown<>(((WriteOutcome.Unknown<Void>) outcome).why());
  }

  private static MwmrCall update(String op, Object in, Update<Payload, Object> update) {
    return new MwmrCall(op, in, (engine, key, deadline) -> engine.update(key, update, deadline));
  }

  private static Decision<Payload, Object> remove(Payload now) {
    return now == null ? Decision.keep(null) : Decision.write(null, HistoryPayloads.number(now));
  }

  private static boolean is(Payload now, long wanted) {
    return Objects.equals(HistoryPayloads.number(now), wanted);
  }

  private static Decision<Payload, Object> when(boolean condition, Payload value) {
    return condition ? Decision.write(value, true) : Decision.keep(false);
  }
}
