package io.ensemble.check.trial;

/** The client processes of one trial. */
public interface ClientGroup {

  /** Lets them begin. */
  void go();

  /** The sum of all operations so far. */
  ClientMessage done();

  /** Whether none has died on its own. */
  boolean areAlive();
}
