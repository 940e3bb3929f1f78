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
 * The dependencies of a mover.
 *
 * @param sites the sites known to this process
 * @param tokens returns incarnations of stores, never the same one twice
 * @param actionListener receives each action before it is performed, for observers
 */
public record MoverContext(
    SiteDirectory sites,
    Definitions definitions,
    Scheduler scheduler,
    HybridClock clock,
    Supplier<String> tokens,
    ChangeRules rules,
    Consumer<ChangeAction> actionListener) {}
