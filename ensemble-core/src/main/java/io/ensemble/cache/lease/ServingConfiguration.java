package io.ensemble.cache.lease;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.CacheEngine;
import java.util.function.BooleanSupplier;

/**
 * The engine that serves a cache in one configuration.
 *
 * @param number the configuration's number
 * @param definition the cache's definition in this configuration
 * @param engine receives the calls
 * @param inner the engine of the mode
 * @param ending whether the configuration is known to be ending
 */
public record ServingConfiguration(
    long number,
    CacheDefinition definition,
    CacheEngine engine,
    CacheEngine inner,
    BooleanSupplier ending) {}
