package io.ensemble.objects;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A class as a user would write it. */
public class Visits {
  private int count;
  private List<String> log = new ArrayList<>();

  public int visit(String who) {
    count++;
    log.add(who);
    return count;
  }

  public void fill(int length) {
    log.add("x".repeat(length));
  }

  public void clear() {
    log.clear();
  }

  public int failing() {
    count += 100;
    throw new IllegalStateException("no more than " + count);
  }

  public int random() {
    count = ThreadLocalRandom.current().nextInt();
    return count;
  }

  @ReadOnly
  public int count() {
    return count;
  }

  @ReadOnly
  public List<String> log() {
    return log;
  }

  @ReadOnly
  public int lying() {
    return ++count;
  }
}
