package io.ensemble.testkit.sim;

import io.ensemble.register.Cell;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.register.RegisterRequest;
import io.ensemble.register.VersionedCell;
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

/** A minimal driver of one operation of the register protocol over stores. */
final class RegisterDriver {

  private static final long HURRY_NANOS = 6_000_000;
  private static final long REQUEST_NANOS = 40_000_000;
  private static final long OPERATION_NANOS = 300_000_000;

  /** The parameters that the operations of one client share. */
  record Setup(
      Scheduler scheduler,
      SplittableRandom random,
      List<SiteStore> stores,
      CellTable cells,
      DriverBug bug) {}

  private final Setup setup;
  private final Bytes key;
  private final RegisterOperation<Long, Object> operation;
  private final VersionedCell<Long>[] shown;
  private final Consumer<RegisterOutcome<Long, Object>> whenEnded;
  private final Deadline deadline;
  private boolean ended;
  private boolean resuming;

  /**
   * @param shown keeps the last answer of each site
   */
  RegisterDriver(
      Setup setup,
      Bytes key,
      RegisterOperation<Long, Object> operation,
      VersionedCell<Long>[] shown,
      Consumer<RegisterOutcome<Long, Object>> whenEnded) {
    this.setup = setup;
    this.key = key;
    this.operation = operation;
    this.shown = shown;
    this.whenEnded = whenEnded;
    deadline = new Deadline(setup.scheduler().nanos() + OPERATION_NANOS);
  }

  void start(List<RegisterRequest<Long>> first) {
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

  private void step(List<RegisterRequest<Long>> requests) {
    requests.forEach(this::send);
    Optional<RegisterOutcome<Long, Object>> outcome = operation.outcome();
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

  private void end(RegisterOutcome<Long, Object> outcome) {
    if (!ended) {
      ended = true;
      whenEnded.accept(outcome);
    }
  }

  private void send(RegisterRequest<Long> request) {
    if (request instanceof RegisterRequest.Swap<Long> swap) {
      swap(swap, swap.expected());
    } else {
      read(request);
    }
  }

  private void read(RegisterRequest<Long> request) {
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

  private void swap(RegisterRequest.Swap<Long> swap, VersionedCell<Long> expected) {
    Bytes value = setup.cells().encode(swap.cell());
    CompletionStage<Boolean> answer =
        expected.cell().isAbsent()
            ? store(swap).putIfAbsent(key, value, requestDeadline())
            : store(swap).replace(key, expected.token(), value, requestDeadline());
    answer.whenComplete((yes, failure) -> swapped(swap, failure == null ? yes : null));
  }

  /** {@code yes} is null if no answer will arrive. */
  private void swapped(RegisterRequest.Swap<Long> swap, Boolean yes) {
    DriverBug bug = setup.bug();
    if (yes == null && bug != DriverBug.LOST_IS_YES) {
      step(operation.onLost(swap.site(), swap.tag()));
    } else if (bug == DriverBug.SWAPS_BLINDLY && !yes) {
      store(swap).read(key, requestDeadline()).thenAccept(entry -> swap(swap, seen(entry)));
    } else if (bug == DriverBug.TRUSTS_NO && !yes) {
      end(new RegisterOutcome.Refused<>());
    } else {
      step(operation.onSwap(swap.site(), swap.tag(), yes == null || yes));
    }
  }

  private VersionedCell<Long> seen(Optional<StoredEntry> entry) {
    return entry
        .map(there -> new VersionedCell<>(setup.cells().decode(there.value()), there.version()))
        .orElseGet(() -> new VersionedCell<>(Cell.absent(), 0));
  }

  private SiteStore store(RegisterRequest<Long> request) {
    return setup.stores().get(request.site());
  }

  private Deadline requestDeadline() {
    long soon = setup.scheduler().nanos() + REQUEST_NANOS;
    return new Deadline(ended ? soon : Math.min(soon, deadline.atNanos()));
  }
}
