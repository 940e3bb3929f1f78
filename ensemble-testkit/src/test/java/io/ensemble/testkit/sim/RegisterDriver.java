package io.ensemble.testkit.sim;

import io.ensemble.register.Cell;
import io.ensemble.register.Operation;
import io.ensemble.register.Outcome;
import io.ensemble.register.Request;
import io.ensemble.register.Seen;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The least that drives one operation of the register protocol over stores. */
final class RegisterDriver {

  private static final long HURRY_NANOS = 6_000_000;
  private static final long REQUEST_NANOS = 40_000_000;
  private static final long OPERATION_NANOS = 300_000_000;

  /** What the operations of one client have in common. */
  record Setup(
      Scheduler scheduler,
      SplittableRandom random,
      List<SiteStore> stores,
      CellTable cells,
      DriverBug bug) {}

  private final Setup setup;
  private final Bytes key;
  private final Operation<Long, Object> operation;
  private final Seen<Long>[] shown;
  private final Consumer<Outcome<Long, Object>> whenEnded;
  private final Deadline deadline;
  private boolean ended;
  private boolean resuming;

  /**
   * @param shown where to keep what each site showed last
   */
  RegisterDriver(
      Setup setup,
      Bytes key,
      Operation<Long, Object> operation,
      Seen<Long>[] shown,
      Consumer<Outcome<Long, Object>> whenEnded) {
    this.setup = setup;
    this.key = key;
    this.operation = operation;
    this.shown = shown;
    this.whenEnded = whenEnded;
    deadline = new Deadline(setup.scheduler().nanos() + OPERATION_NANOS);
  }

  void start(List<Request<Long>> first) {
    setup.scheduler().after(OPERATION_NANOS, () -> end(operation.expire()));
    setup.scheduler().after(HURRY_NANOS, this::hurry);
    step(first);
  }

  private void hurry() {
    if (!ended) {
      step(operation.onHurry());
      setup.scheduler().after(HURRY_NANOS, this::hurry);
    }
  }

  private void step(List<Request<Long>> requests) {
    requests.forEach(this::send);
    Optional<Outcome<Long, Object>> outcome = operation.outcome();
    if (outcome.isPresent()) {
      end(outcome.get());
    } else if (operation.isPaused() && !resuming) {
      resuming = true;
      setup.scheduler().after(setup.random().nextLong(1_000_000, 20_000_000), this::resume);
    }
  }

  private void resume() {
    resuming = false;
    if (!ended) {
      step(operation.resume());
    }
  }

  private void end(Outcome<Long, Object> outcome) {
    if (!ended) {
      ended = true;
      whenEnded.accept(outcome);
    }
  }

  private void send(Request<Long> request) {
    if (request instanceof Request.Swap<Long> swap) {
      swap(swap, swap.expected());
    } else {
      read(request);
    }
  }

  private void read(Request<Long> request) {
    store(request)
        .read(key, requestDeadline())
        .whenComplete(
            (entry, failure) -> {
              if (failure != null) {
                step(operation.onLost(request.site(), request.tag()));
                return;
              }
              shown[request.site()] = seen(entry);
              step(operation.onRead(request.site(), request.tag(), shown[request.site()]));
            });
  }

  private void swap(Request.Swap<Long> swap, Seen<Long> expected) {
    Bytes value = setup.cells().encode(swap.cell());
    CompletionStage<Boolean> answer =
        expected.cell().isAbsent()
            ? store(swap).putIfAbsent(key, value, requestDeadline())
            : store(swap).replace(key, expected.token(), value, requestDeadline());
    answer.whenComplete((yes, failure) -> swapped(swap, failure == null ? yes : null));
  }

  /** {@code yes} is null when no answer will come. */
  private void swapped(Request.Swap<Long> swap, Boolean yes) {
    DriverBug bug = setup.bug();
    if (yes == null && bug != DriverBug.LOST_IS_YES) {
      step(operation.onLost(swap.site(), swap.tag()));
    } else if (bug == DriverBug.SWAPS_BLINDLY && !yes) {
      store(swap).read(key, requestDeadline()).thenAccept(entry -> swap(swap, seen(entry)));
    } else if (bug == DriverBug.TRUSTS_NO && !yes) {
      end(new Outcome.Refused<>());
    } else {
      step(operation.onSwap(swap.site(), swap.tag(), yes == null || yes));
    }
  }

  private Seen<Long> seen(Optional<StoredEntry> entry) {
    return entry
        .map(there -> new Seen<>(setup.cells().decode(there.value()), there.version()))
        .orElseGet(() -> new Seen<>(Cell.absent(), 0));
  }

  private SiteStore store(Request<Long> request) {
    return setup.stores().get(request.site());
  }

  private Deadline requestDeadline() {
    long soon = setup.scheduler().nanos() + REQUEST_NANOS;
    return new Deadline(ended ? soon : Math.min(soon, deadline.atNanos()));
  }
}
