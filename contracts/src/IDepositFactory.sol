// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Deposit addresses without keys
/// @notice A deposit address belongs to a treasury and a salt. Whatever arrives there can move only to that treasury, no
/// matter who calls: the address is a hash that includes the treasury.
/// @dev Return values of tokens are not trusted. What counts is by how much the balance of the deposit address fell.
interface IDepositFactory {
    /// @notice An asset left a deposit address for its treasury.
    /// @param token The token, or zero for the coin of the network.
    /// @param amount What left. A token that charges a fee on transfers delivers less than this to the treasury.
    event Swept(address indexed treasury, bytes32 indexed salt, address indexed token, address deposit, uint256 amount);

    /// @notice An asset stayed at a deposit address, and can be swept later.
    /// @param token The token, or zero for the coin of the network.
    /// @param amount What there is to sweep, or zero if the token returns no balance or is no contract.
    event SweepFailed(
        address indexed treasury, bytes32 indexed salt, address indexed token, address deposit, uint256 amount
    );

    /// @notice The treasury is the zero address, where everything would be lost.
    error TreasuryMissing();

    /// @notice The tokens are not in strictly ascending order, so one might be counted twice.
    error TokensUnsorted();

    /// @notice Too little gas is left to give a token its share. Without this error, a caller with little gas, or a low gas
    /// estimate, could make a sweep skip a token.
    error GasTooLow();

    /// @notice A token or a treasury called `sweep` during a sweep.
    error Reentered();

    /// @notice The treasury refused coin. A sweep catches this for each deposit address and emits `SweepFailed`.
    error CoinRefused();

    /// @notice Moves coin and the given tokens from deposit addresses to their treasury. Anyone may call it.
    /// @dev A token that fails is reported as `SweepFailed` and does not affect other assets. If the treasury refuses coin,
    /// everything at that deposit address stays, so a treasury should accept coin: one unit of dust would hold back tokens.
    /// In a batch each external call gets 250,000 gas: 50 addresses with a token that burns it all need 15 million, below
    /// the 16.8 million that EIP-7825 allows a transaction. A sweep of one address has no such limit.
    /// @param treasury The owner of the deposit addresses, and the recipient.
    /// @param salts The deposit addresses of this treasury.
    /// @param tokens The tokens, in ascending order of their addresses. Coin is always swept.
    function sweep(address treasury, bytes32[] calldata salts, address[] calldata tokens) external;

    /// @notice The address to pay to.
    /// @param treasury The recipient.
    /// @param salt Distinguishes this deposit address from others of the treasury.
    /// @return The deposit address. It accepts payments before anything is deployed there.
    function addressOf(address treasury, bytes32 salt) external view returns (address);
}
