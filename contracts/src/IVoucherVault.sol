// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Vouchers of one currency, held by a contract
/// @notice The creator of a voucher pays its value into the vault. The bearer of the voucher's code redeems it, in parts if
/// needed, by signing with a key derived from the code. What is left at the end of its validity returns to the creator.
/// @dev The code never reaches the chain, and neither does its key. A voucher is known by
/// `keccak256(abi.encode(creator, claimKey))`: the creator is part of the hash, so a hash seen in a pending transaction
/// cannot be taken by another account.
interface IVoucherVault {
    struct Voucher {
        /// Zero if there is no such voucher.
        address creator;
        /// What was paid in. Zero after the voucher was closed.
        uint128 value;
        /// What can still be redeemed, fees included.
        uint128 balance;
        /// How many times it was redeemed. The next redemption must be signed with this number.
        uint32 nonce;
        /// The last second in which the voucher can be redeemed.
        uint40 expiry;
        /// A voucher with a PIN. Only an operator may relay its redemptions, because the operator checks the PIN.
        bool isLocked;
        /// The creator may close it before it expires.
        bool isRevocable;
    }

    /// @dev Signed by the claim key as EIP-712 typed data, with the name "Scrip VoucherVault" and version "1".
    struct Redemption {
        bytes32 codeHash;
        address recipient;
        /// What the recipient receives.
        uint128 amount;
        /// What the fee recipient receives. The balance pays it in addition to `amount`.
        uint128 fee;
        /// Ignored if there is no fee.
        address feeRecipient;
        uint32 nonce;
        /// The last second in which this redemption may be executed.
        uint40 deadline;
        /// Identifies the payment for its recipient. Not interpreted.
        bytes32 ref;
    }

    event VoucherCreated(
        bytes32 indexed codeHash,
        address indexed creator,
        uint128 amount,
        uint40 expiry,
        bool isLocked,
        bool isRevocable
    );

    /// @param nonce The number that the redemption was signed with.
    /// @param balance What is left in the voucher.
    event VoucherRedeemed(
        bytes32 indexed codeHash,
        address indexed recipient,
        bytes32 indexed ref,
        uint128 amount,
        uint128 fee,
        address feeRecipient,
        uint32 nonce,
        uint128 balance
    );

    /// @param amount What returned to the creator.
    event VoucherClosed(bytes32 indexed codeHash, address indexed creator, uint128 amount);

    event OperatorSet(address indexed operator, bool isOperator);
    event OwnershipTransferStarted(address indexed owner, address indexed pendingOwner);
    event OwnershipTransferred(address indexed previousOwner, address indexed owner);
    event Paused();
    event Unpaused();
    event Skimmed(address indexed to, uint256 amount);

    /// @notice The asset is neither zero nor a contract.
    error AssetInvalid();

    error OwnerMissing();
    error NotOwner();
    error NotPendingOwner();

    /// @notice The voucher is locked, and only an operator may relay its redemptions.
    error NotOperator();

    /// @notice The owner has paused the creation and redemption of vouchers.
    error VaultPaused();

    /// @notice A token or a recipient called the vault while it was being paid.
    error Reentered();

    error AmountMissing();
    error ClaimKeyMissing();

    /// @notice The expiry is not in the future, or more than 3,653 days ahead.
    error ExpiryInvalid();

    /// @notice The number of claim keys differs from the number of amounts.
    error LengthMismatch();

    /// @notice The creator has used this claim key before.
    error VoucherExists();

    error VoucherNotFound();
    error VoucherExpired();

    /// @notice The voucher has not expired. Before it does, only its creator may close it, and only if it is revocable.
    error VoucherNotClosable();

    /// @notice The voucher holds less than the amount and its fee, or nothing if it is to be closed.
    error BalanceTooLow();

    /// @notice The redemption was executed already, or is signed for a later one.
    error NonceMismatch();

    error DeadlinePassed();

    /// @notice The signature is malformed, or not from the claim key of this voucher.
    error SignatureInvalid();

    /// @notice The recipient is the zero address or the vault.
    error RecipientInvalid();

    /// @notice The vault did not receive exactly the amount of the vouchers.
    error PaymentInexact();

    /// @notice The asset or its recipient refused a payment.
    error TransferFailed();

    /// @notice Creates a voucher. Anyone may call it, and pays the amount: as coin with the call, or by an allowance of the
    /// token for the vault.
    /// @param claimKey The address of the key derived from the code.
    /// @param amount The value of the voucher.
    /// @param expiry The last second in which it can be redeemed, at most 3,653 days ahead.
    /// @param isLocked Only an operator may relay redemptions.
    /// @param isRevocable The creator may close it before it expires.
    function createVoucher(address claimKey, uint128 amount, uint40 expiry, bool isLocked, bool isRevocable)
        external
        payable
        returns (bytes32 codeHash);

    /// @notice Creates vouchers with different values and the same terms, paid at once.
    /// @param claimKeys One key per voucher.
    /// @param amounts The value of each voucher.
    function createVouchers(
        address[] calldata claimKeys,
        uint128[] calldata amounts,
        uint40 expiry,
        bool isLocked,
        bool isRevocable
    ) external payable;

    /// @notice Pays from a voucher. Anyone may relay it, because the signature covers everything that it does.
    /// @param signature 65 bytes by the claim key, with the lower of both possible values of s.
    function redeem(Redemption calldata redemption, bytes calldata signature) external;

    /// @notice Returns the balance of a voucher to its creator. Anyone may close an expired voucher. Works while the vault
    /// is paused. The hash cannot be used again, so no signature for it becomes valid again.
    function close(bytes32 codeHash) external;

    /// @notice Stops the creation and redemption of vouchers. Only the owner may call it.
    function pause() external;

    /// @notice Ends a pause. Only the owner may call it.
    function unpause() external;

    /// @notice Appoints or removes an operator. Only the owner may call it.
    function setOperator(address operator, bool isOperator_) external;

    /// @notice Offers the ownership to another account, which must accept it. Zero withdraws the offer.
    function transferOwnership(address pendingOwner_) external;

    /// @notice Accepts the ownership.
    function acceptOwnership() external;

    /// @notice Sends what the vault holds above its liabilities. Only the owner may call it.
    /// @return amount What was sent. Zero if there is nothing above the liabilities.
    function skim(address to) external returns (uint256 amount);

    function getVoucher(bytes32 codeHash) external view returns (Voucher memory);

    /// @notice The hash that a claim key signs.
    function digestOf(Redemption calldata redemption) external view returns (bytes32);

    /// @notice The sum of all balances.
    function liabilities() external view returns (uint256);

    /// @notice The token, or zero for the coin of the network.
    function asset() external view returns (address);

    function owner() external view returns (address);
    function pendingOwner() external view returns (address);
    function isOperator(address account) external view returns (bool);
    function isPaused() external view returns (bool);
}
