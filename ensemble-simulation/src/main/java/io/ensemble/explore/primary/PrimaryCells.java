package io.ensemble.explore.primary;

import io.ensemble.primary.Copy;
import io.ensemble.primary.PrimaryRequest;
import io.ensemble.primary.VersionedCopy;
import io.ensemble.register.RegisterDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The copies of the key at the sites of a {@link PrimaryScenarioState}. */
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

  VersionedCopy<Integer> show(int site) {
    return new VersionedCopy<>(copies.get(site), versions[site]);
  }

  /** Whether the site still holds the value that the compare-and-set expects. */
  boolean takes(PrimaryRequest.Swap<Integer> swap) {
    Copy<Integer> held = copies.get(swap.site());
    return swap.expected().copy().isAbsent()
        ? held.isAbsent()
        : !held.isAbsent() && versions[swap.site()] == swap.expected().token();
  }

  /** Performs a request. Returns whether the request was a compare-and-set that took effect. */
  boolean perform(PrimaryRequest<Integer> request) {
    if (!(request instanceof PrimaryRequest.Swap<Integer> swap) || !takes(swap)) {
      return false;
    }
    copies.set(swap.site(), swap.copy());
    versions[swap.site()]++;
    return true;
  }

  long digest() {
    long hash = 0;
    for (int site = 0; site < versions.length; site++) {
      hash =
          RegisterDigest.of(hash, RegisterDigest.of(copies.get(site).hashCode(), versions[site]));
    }
    return hash;
  }

  @Override
  public String toString() {
    return copies.toString();
  }
}
