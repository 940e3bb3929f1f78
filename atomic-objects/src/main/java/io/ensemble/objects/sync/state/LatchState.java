package io.ensemble.objects.sync.state;

import io.ensemble.objects.ReadOnly;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** The state of a latch: the number of missing counts, and the requests that have counted. */
public class LatchState implements DeclaredSize {

  /** The maximum count, so that the object stays small. */
  public static final int MOST = 10_000;

  private int first;
  private Set<UUID> counted = new HashSet<>();
  private boolean open;

  public LatchState() {
    this(0);
  }

  public LatchState(int first) {
    this.first = first;
    this.open = first == 0;
  }

  @Override
  @ReadOnly
  public int declared() {
    return first;
  }

  @ReadOnly
  public int count() {
    return open ? 0 : first - counted.size();
  }

  /** Counts once for each request. Returns the number of missing counts. */
  public int countDown(UUID request) {
    if (!open) {
      counted.add(request);
      if (counted.size() == first) {
        open = true;
        counted.clear(); // the latch opens once; later counts change nothing
      }
    }
    return count();
  }
}
