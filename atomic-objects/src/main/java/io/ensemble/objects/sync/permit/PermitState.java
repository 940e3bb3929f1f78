package io.ensemble.objects.sync.permit;

import io.ensemble.objects.CallPosition;
import io.ensemble.objects.ReadOnly;
import io.ensemble.objects.sync.state.DeclaredSize;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a lock, a semaphore and an election are: so many permits, who holds how many of them, and
 * who wants some, in the order in which they asked. A lock has one permit. Of a read-write lock a
 * reader takes one, and a writer all, so that readers behind a writer wait.
 *
 * <p>Requests have names, so that asking, renewing and giving back may be repeated. A hold ends
 * when it is given back, or when somebody says that it has been seen unchanged for too long.
 */
public class PermitState implements DeclaredSize {

  /** How many may wait at a time. */
  public static final int MOST_WAITING = 1000;

  private record Hold(int permits, long token, long renewals, long leaseMillis, String note) {}

  private record Ticket(int permits, long leaseMillis, String note) {}

  private int permits;
  private Map<UUID, Hold> holds = new LinkedHashMap<>();
  private Map<UUID, Ticket> tickets = new LinkedHashMap<>();

  public PermitState() {
    this(1);
  }

  public PermitState(int permits) {
    this.permits = permits;
  }

  @Override
  @ReadOnly
  public int declared() {
    return permits;
  }

  @ReadOnly
  public int available() {
    return (int) (permits - held());
  }

  @ReadOnly
  public int waiting() {
    return tickets.size();
  }

  /** Who holds, oldest first. */
  @ReadOnly
  public List<PermitHolder> holders() {
    List<PermitHolder> all = new ArrayList<>();
    holds.forEach(
        (id, h) -> all.add(new PermitHolder(id, h.token, h.renewals, h.leaseMillis, h.note)));
    return all;
  }

  /** How a request stands; with the holders where it waits for them. */
  @ReadOnly
  public PermitStatus look(UUID request) {
    Hold hold = holds.get(request);
    if (hold != null) {
      return new PermitStatus(PermitStatus.Place.HOLDS, hold.token, List.of());
    }
    return tickets.containsKey(request)
        ? new PermitStatus(PermitStatus.Place.WAITS, 0, holders())
        : new PermitStatus(PermitStatus.Place.NONE, 0, holders());
  }

  /**
   * Asks for permits; asked again by the same name, tells how that stands.
   *
   * @param waits whether to stand in line where they are not to be had now
   */
  public PermitStatus ask(UUID request, int wanted, long leaseMillis, boolean waits, String note) {
    if (wanted < 1 || wanted > permits) {
      throw new IllegalArgumentException("1 to " + permits + " permits are had; asked: " + wanted);
    }
    if (!holds.containsKey(request) && !tickets.containsKey(request)) {
      tickets.put(request, new Ticket(wanted, leaseMillis, note));
      grant();
      if (!waits) {
        tickets.remove(request);
      } else if (tickets.size() > MOST_WAITING) {
        tickets.remove(request);
        throw new IllegalStateException(MOST_WAITING + " wait already, which is the most");
      }
    }
    return look(request);
  }

  /** As {@link #ask}; one that holds already, or waits, shows that it lives, with this lease. */
  public PermitStatus claim(UUID request, int wanted, long leaseMillis, boolean waits) {
    Hold held =
        holds.computeIfPresent(
            request, (id, h) -> new Hold(h.permits, h.token, h.renewals + 1, leaseMillis, h.note));
    tickets.computeIfPresent(request, (id, t) -> new Ticket(t.permits, leaseMillis, t.note));
    return held != null ? look(request) : ask(request, wanted, leaseMillis, waits, "");
  }

  /** As {@link #renew}, and tells how it stands. */
  public PermitStatus alive(UUID request) {
    renew(request);
    return look(request);
  }

  /** Leaves the line, and keeps what was granted; tells how it stands. */
  public PermitStatus leave(UUID request) {
    tickets.remove(request);
    grant();
    return look(request);
  }

  /** Shows that the holder lives. False if it holds nothing any more. */
  public boolean renew(UUID request) {
    return null
        != holds.computeIfPresent(
            request,
            (id, h) -> new Hold(h.permits, h.token, h.renewals + 1, h.leaseMillis, h.note));
  }

  /** Gives back what was granted, or leaves the line. Whether there was something to give back. */
  public boolean release(UUID request) {
    tickets.remove(request);
    boolean held = holds.remove(request) != null;
    grant();
    return held;
  }

  /** Takes it from a holder that has not renewed since it was seen so. */
  public boolean expire(UUID request, long token, long renewals) {
    Hold hold = holds.get(request);
    return hold != null && hold.token == token && hold.renewals == renewals && release(request);
  }

  /** What the first in line can have, it gets; nobody passes it. */
  private void grant() {
    for (Map.Entry<UUID, Ticket> first = first(); first != null; first = first()) {
      Ticket ticket = first.getValue();
      if (held() + ticket.permits > permits) {
        return;
      }
      tickets.remove(first.getKey());
      holds.put(
          first.getKey(),
          new Hold(ticket.permits, CallPosition.current(), 0, ticket.leaseMillis, ticket.note));
    }
  }

  private Map.@Nullable Entry<UUID, Ticket> first() {
    return tickets.isEmpty() ? null : tickets.entrySet().iterator().next();
  }

  private long held() {
    return holds.values().stream().mapToLong(Hold::permits).sum();
  }
}
