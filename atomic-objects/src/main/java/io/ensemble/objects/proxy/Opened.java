package io.ensemble.objects.proxy;

/** What every proxy also is. */
public interface Opened {

  /** The object that it stands for; by a name that no face has. */
  Caller $ensembleCaller();
}
