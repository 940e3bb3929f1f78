package io.ensemble.cache.lease;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.CacheEngine;
import java.util.function.BooleanSupplier;

/**
 * What serves a cache in one configuration.
 *
 * @param number the configuration's number
 * @param definition what the cache is in it
 * @param engine what calls go to
 * @param inner the mode's own engine
 * @param ending whether the configuration is known to be ending
 */
public record ServingConfiguration(
    long number,
    CacheDefinition definition,
    CacheEngine engine,
    CacheEngine inner,
    BooleanSupplier ending) {}
