// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Deposit addresses without keys
/// @notice A deposit address belongs to a treasury and a salt. Whatever arrives there can move to that treasury and nowhere
/// else, whoever asks for it: the treasury is part of what the address is a hash of.
/// @dev What a token answers is not believed. What counts is by how much the balance of the deposit address fell.
interface IDepositFactory {
    /// @notice An asset left a deposit address for its treasury.
    /// @param token The token, or zero for the coin of the network.
    /// @param amount What left. A token that takes a fee on its way brings less than this to the treasury.
    event Swept(address indexed treasury, bytes32 indexed salt, address indexed token, address deposit, uint256 amount);

    /// @notice An asset stayed at a deposit address, and can be swept later.
    /// @param token The token, or zero for the coin of the network.
    /// @param amount What there is to sweep, or zero when the token does not tell or is no contract.
    event SweepFailed(
        address indexed treasury, bytes32 indexed salt, address indexed token, address deposit, uint256 amount
    );

    /// @notice The treasury is the zero address, where everything would be lost.
    error TreasuryMissing();

    /// @notice The tokens do not ascend strictly, so one might be counted twice.
    error TokensUnsorted();

    /// @notice Too little gas is left to give a token its share. Without this, a token could be passed over because the
    /// caller, or an estimate of gas, was stingy.
    error GasTooLow();

    /// @notice A token or a treasury asked for a sweep while one was running.
    error Reentered();

    /// @notice The treasury did not take coin. A sweep catches this for each deposit address and tells it as `SweepFailed`.
    error CoinRefused();

    /// @notice Moves coin and the given tokens from deposit addresses to their treasury. Anybody may call it.
    /// @dev A token that fails is told as `SweepFailed` and holds back nothing else. If the treasury refuses coin, all of
    /// that deposit address stays as it is, so a treasury should accept coin: one unit of dust would hold back tokens.
    /// In a batch each call outside gets 250,000 gas: 50 addresses with a token that burns it all need 15 million, below
    /// the 16.8 million that EIP-7825 allows a transaction. An address that is swept alone has no such limit.
    /// @param treasury Who owns the deposit addresses, and receives.
    /// @param salts Which deposit addresses of this treasury.
    /// @param tokens Which tokens, in ascending order of their addresses. Coin is always swept.
    function sweep(address treasury, bytes32[] calldata salts, address[] calldata tokens) external;

    /// @notice Where to pay.
    /// @param treasury Who will receive.
    /// @param salt Anything that tells this deposit address from others of the treasury.
    /// @return The deposit address. It accepts payments before anything was ever deployed there.
    function addressOf(address treasury, bytes32 salt) external view returns (address);
}
