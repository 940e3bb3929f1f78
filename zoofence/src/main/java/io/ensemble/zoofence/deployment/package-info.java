/** The znodes that ZooFence keeps for itself. They make several ensembles one deployment. */
@NullMarked
package io.ensemble.zoofence.deployment;

import org.jspecify.annotations.NullMarked;
