package io.ensemble.check.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.ensemble.Mode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CapacityEstimateTest {

  private static CapacityRequest cache(Mode mode, int sites, int nodes, int replicas) {
    return new CapacityRequest(mode, 100_000, 9, 1_000, sites, nodes, replicas, false, 10, 90);
  }

  /** The figures are in benchmarks/results/memory.md: three sites of three nodes. */
  @ParameterizedTest
  @CsvSource({"MWMR, 386_700_000", "SWMR, 387_500_000", "WEAK, 763_500_000"})
  void theMeasuredHeapOfSitesIsEstimated(Mode mode, String measured) {
    CapacityEstimate estimate = CapacityEstimate.of(cache(mode, 3, 3, 0));

    assertThat(estimate.heapBytes())
        .isCloseTo(Long.parseLong(measured.replace("_", "")), withinPercentage(5));
  }

  @ParameterizedTest
  @CsvSource({
    // mode, sites, nodes, replicas, copies, requests of a read and of a write
    "WEAK, 3, 3, 0, 6, 1, 3",
    "WEAK, 2, 1, 0, 2, 1, 2",
    "SWMR, 3, 3, 0, 3, 1, 6",
    "SWMR, 2, 3, 0, 2, 1, 4",
    "MWMR, 3, 3, 0, 3, 3, 6",
    "MWMR, 2, 3, 0, 4, 4, 8",
    "MWMR, 1, 3, 0, 3, 3, 6",
    "MWMR, 1, 1, 0, 1, 1, 2",
    "MWMR, 3, 3, 5, 5, 5, 10",
  })
  void copiesAndRequestsFollowTheMode(
      Mode mode, int sites, int nodes, int replicas, int copies, int read, int write) {
    CapacityEstimate estimate = CapacityEstimate.of(cache(mode, sites, nodes, replicas));

    assertThat(estimate.copies()).isEqualTo(copies);
    assertThat(estimate.requestsPerRead()).isEqualTo(read);
    assertThat(estimate.requestsPerWrite()).isEqualTo(write);
    assertThat(estimate.requestsPerSecond()).isEqualTo(90L * read + 10L * write);
  }

  @Test
  void aReplicaOfAStrongCacheIsCompleteOnItsNodeAndAWeakSiteDivides() {
    CapacityEstimate strong = CapacityEstimate.of(cache(Mode.MWMR, 3, 3, 0));
    CapacityEstimate weak = CapacityEstimate.of(cache(Mode.WEAK, 3, 4, 0));

    assertThat(strong.nodeHeapBytes()).isEqualTo(100_000 * strong.heapBytesPerCopy());
    assertThat(weak.nodeHeapBytes()).isEqualTo(50_000 * weak.heapBytesPerCopy());
    assertThat(strong.mostNodeHeapBytes()).isGreaterThan(strong.nodeHeapBytes());
  }

  @Test
  void aWeakSiteOnDiskHasEachEntryOnEachNode() {
    CapacityEstimate onDisk =
        CapacityEstimate.of(new CapacityRequest(Mode.WEAK, 1_000, 16, 100, 2, 3, 0, true, 0, 0));

    assertThat(onDisk.copies()).isEqualTo(6);
    assertThat(onDisk.nodeDiskBytes()).isEqualTo(onDisk.diskBytes() / 6);
    assertThat(CapacityEstimate.of(cache(Mode.WEAK, 2, 3, 0)).diskBytes()).isNull();
  }

  @Test
  void aClientOfMwmrRemembersABoundedNumberOfKeys() {
    CapacityEstimate large =
        CapacityEstimate.of(
            new CapacityRequest(Mode.MWMR, 50_000_000, 16, 1_000, 3, 3, 0, false, 0, 0));

    assertThat(large.clientBytes()).isEqualTo(100_000L * 204 + (16 << 20));
    assertThat(CapacityEstimate.of(cache(Mode.WEAK, 3, 3, 0)).clientBytes()).isZero();
    assertThat(CapacityEstimate.of(cache(Mode.SWMR, 3, 3, 0)).clientBytes())
        .as("not measured")
        .isNull();
  }

  @Test
  void allReadsOfASwmrCacheGoToOneSite() {
    CapacityEstimate reads =
        CapacityEstimate.of(new CapacityRequest(Mode.SWMR, 1_000, 9, 1_000, 3, 3, 0, false, 0, 90));
    CapacityEstimate writes =
        CapacityEstimate.of(new CapacityRequest(Mode.SWMR, 1_000, 9, 1_000, 3, 3, 0, false, 90, 0));
    CapacityEstimate quorum =
        CapacityEstimate.of(new CapacityRequest(Mode.MWMR, 1_000, 9, 1_000, 3, 3, 0, false, 0, 90));

    assertThat(reads.siteLinkBytesPerSecond()).isEqualTo(reads.linkBytesPerSecond()).isPositive();
    assertThat(writes.siteLinkBytesPerSecond()).isEqualTo(writes.linkBytesPerSecond() / 3);
    assertThat(quorum.siteLinkBytesPerSecond()).isEqualTo(quorum.linkBytesPerSecond() / 3);
  }

  @Test
  void whatIsOutOfRangeIsRefused() {
    assertThatThrownBy(() -> cache(Mode.WEAK, 3, 3, 2)).hasMessageContaining("WEAK");
    assertThatThrownBy(() -> cache(Mode.MWMR, 1, 3, 5)).hasMessageContaining("replicas=5 nodes=3");
    assertThatThrownBy(() -> cache(Mode.MWMR, 0, 3, 0)).hasMessageContaining("sites must be in");
    assertThatThrownBy(
            () ->
                CapacityEstimate.of(
                    new CapacityRequest(
                        Mode.WEAK, 1_000_000_000_000L, 1 << 20, 1 << 30, 64, 1024, 0, true, 0, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too large");
  }
}
