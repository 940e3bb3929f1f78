package io.ensemble.cli.demo;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.testkit.link.WanProfile;

/**
 * The size of the demonstration.
 *
 * @param sites 3 or more: with fewer no site may fail in MWMR
 * @param nodes nodes of each site, 1 to 9
 * @param wan the emulated network to every site but the first
 * @param records orders in each cache
 * @param seed the seed of the orders
 * @param ycsbOperations operations of each run of YCSB; 0 for no YCSB
 */
public record DemoPlan(
    int sites, int nodes, @JsonIgnore WanProfile wan, int records, long seed, int ycsbOperations) {

  public DemoPlan {
    require(sites >= 3, "--sites must be 3 or more, because one of them is killed; got " + sites);
    require(nodes >= 1 && nodes <= 9, "--nodes must be in [1, 9]; got " + nodes);
    require(
        records >= 10 && records <= 1_000_000,
        "--records must be in [10, 1000000]; got " + records);
    require(ycsbOperations >= 0, "--ycsb-operations must be 0 or more; got " + ycsbOperations);
  }

  LocalPlan sitesToStart() {
    return new LocalPlan(sites, nodes, wan, false, null);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new CommandException(ExitCode.USAGE, otherwise);
    }
  }
}
