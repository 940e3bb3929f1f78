/**
 * The window: writes that the primary alone has acknowledged, until a majority holds them or a
 * fail-over puts them in doubt.
 */
@NullMarked
package io.ensemble.cache.swmr.window;

import org.jspecify.annotations.NullMarked;
