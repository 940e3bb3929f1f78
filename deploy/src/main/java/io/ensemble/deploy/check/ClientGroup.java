package io.ensemble.deploy.check;

/** The client processes of one trial. */
interface ClientGroup {

  /** Lets them begin. */
  void go();

  /** What all have done so far. */
  ClientMessage done();

  /** Whether none has died by itself. */
  boolean areAlive();
}
