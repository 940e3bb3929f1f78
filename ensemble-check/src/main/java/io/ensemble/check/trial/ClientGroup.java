package io.ensemble.check.trial;

/** The client processes of one trial. */
public interface ClientGroup {

  /** Lets them begin. */
  void go();

  /** What all have done so far. */
  ClientMessage done();

  /** Whether none has died by itself. */
  boolean areAlive();
}
