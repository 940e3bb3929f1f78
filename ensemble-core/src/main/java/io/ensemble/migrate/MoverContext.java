package io.ensemble.migrate;

import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.change.ChangeAction;
import io.ensemble.change.ChangeRules;
import io.ensemble.schedule.Scheduler;
import io.ensemble.stamp.HybridClock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What a mover works with.
 *
 * @param sites the sites that this process knows
 * @param tokens gives lives of stores, never one twice
 * @param told of each errand before it is done; for those who watch
 */
public record MoverContext(
    SiteDirectory sites,
    Definitions definitions,
    Scheduler scheduler,
    HybridClock clock,
    Supplier<String> tokens,
    ChangeRules rules,
    Consumer<ChangeAction> told) {}
