package io.ensemble.testkit.explore;

import io.ensemble.primary.Copy;
import io.ensemble.primary.Request;
import io.ensemble.primary.Shown;
import io.ensemble.register.Digest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the sites of a {@link PrimaryWorld} hold of the key. */
final class PrimaryCells {

  private final List<Copy<Integer>> copies;
  private final long[] versions;

  PrimaryCells(int sites) {
    copies = new ArrayList<>(Collections.nCopies(sites, Copy.<Integer>absent()));
    versions = new long[sites];
  }

  PrimaryCells(PrimaryCells other) {
    copies = new ArrayList<>(other.copies);
    versions = other.versions.clone();
  }

  Shown<Integer> show(int site) {
    return new Shown<>(copies.get(site), versions[site]);
  }

  /** Whether the site still holds what the compare-and-set expects. */
  boolean takes(Request.Swap<Integer> swap) {
    Copy<Integer> held = copies.get(swap.site());
    return swap.expected().copy().isAbsent()
        ? held.isAbsent()
        : !held.isAbsent() && versions[swap.site()] == swap.expected().token();
  }

  /** Performs a request; whether it was a compare-and-set that took effect. */
  boolean perform(Request<Integer> request) {
    if (!(request instanceof Request.Swap<Integer> swap) || !takes(swap)) {
      return false;
    }
    copies.set(swap.site(), swap.copy());
    versions[swap.site()]++;
    return true;
  }

  long digest() {
    long hash = 0;
    for (int site = 0; site < versions.length; site++) {
      hash = Digest.of(hash, Digest.of(copies.get(site).hashCode(), versions[site]));
    }
    return hash;
  }

  @Override
  public String toString() {
    return copies.toString();
  }
}
